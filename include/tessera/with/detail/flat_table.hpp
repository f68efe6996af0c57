// FlatTable: reads tables of FlatBuffers (their binary format, "FlatBuffers internals") with bounds checked, without a
// schema's generated code.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The bytes must outlive it, and what it returns. Each member throws MetadataError, if an offset leads out of them.
class FlatTable {
  using Bytes = std::span<std::byte const>;

 public:
  static FlatTable root(Bytes all) { return {all, number<std::uint32_t>(all, 0)}; }

  /// A number; `otherwise`, if the table does not have the field.
  template <class T>
  T get(std::size_t field, T otherwise = 0) const {
    auto const at = place(field);
    return at ? number<T>(all_, *at) : otherwise;
  }
  /// A struct of `size` bytes, in place. nullopt: the table does not have it.
  std::optional<Bytes> structure(std::size_t field, std::size_t size) const {
    auto const at = place(field);
    return at ? std::optional{part(all_, *at, size)} : std::nullopt;
  }
  /// A vector of items of `size` bytes, or a string, as bytes.
  std::optional<Bytes> vector(std::size_t field, std::size_t size) const {
    auto const at = place(field);
    if (!at) return std::nullopt;
    auto const begin = *at + number<std::uint32_t>(all_, *at);
    auto const count = std::uint64_t{number<std::uint32_t>(all_, begin)};
    return part(all_, begin + 4, count * size);
  }
  std::optional<std::string_view> string(std::size_t field) const {
    auto const bytes = vector(field, 1);
    if (!bytes) return std::nullopt;
    return std::string_view{reinterpret_cast<char const*>(bytes->data()), bytes->size()};
  }
  std::optional<FlatTable> table(std::size_t field) const {
    auto const at = place(field);
    return at ? std::optional{FlatTable{all_, *at + number<std::uint32_t>(all_, *at)}} : std::nullopt;
  }
  /// Calls f with each table of a vector.
  template <class F>
  void each(std::size_t field, F&& f) const {
    auto const offsets = vector(field, 4);
    if (!offsets) return;
    auto const begin = static_cast<std::size_t>(offsets->data() - all_.data());
    for (std::size_t i = 0; i < offsets->size(); i += 4) {
      auto const at = begin + i;
      f(FlatTable{all_, at + number<std::uint32_t>(all_, at)});
    }
  }

  template <class T>
  static T number(Bytes all, std::uint64_t at) {
    static_assert(std::endian::native == std::endian::little,
                  "tessera: FlatBuffers are read on little-endian machines");
    T result;
    std::memcpy(&result, part(all, at, sizeof result).data(), sizeof result);
    return result;
  }

 private:
  FlatTable(Bytes all, std::uint64_t at) : all_{all}, at_{at} {}

  static Bytes part(Bytes all, std::uint64_t at, std::uint64_t size) {
    if (at > all.size() || size > all.size() - at) throw MetadataError{"a damaged table: an offset leads out of it"};
    return all.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
  }

  // Where a field is.
  std::optional<std::uint64_t> place(std::size_t field) const {
    auto const back = number<std::int32_t>(all_, at_);
    auto const fields = static_cast<std::uint64_t>(static_cast<std::int64_t>(at_) - back);
    auto const size = number<std::uint16_t>(all_, fields);
    auto const entry = 4 + 2 * field;
    if (entry + 2 > size) return std::nullopt;
    auto const offset = number<std::uint16_t>(all_, fields + entry);
    return offset ? std::optional{at_ + offset} : std::nullopt;
  }

  Bytes all_;
  std::uint64_t at_;
};

}}}  // namespace tessera::v0::detail
