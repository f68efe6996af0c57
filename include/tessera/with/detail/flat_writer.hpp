// FlatWriter: writes tables of FlatBuffers (their binary format, "FlatBuffers internals"), without generated code.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera { inline namespace v0 { namespace detail {

/// A field of a table: a number of 1, 2, 4 or 8 bytes. A reference has 4, and is set by FlatWriter::link.
struct FlatNumber {
  std::size_t field, size;
  std::uint64_t value = 0;
};

/// Each function writes one object and returns its place. Objects refer to later ones only.
class FlatWriter {
 public:
  std::size_t table(std::vector<FlatNumber> numbers) {
    std::ranges::stable_sort(numbers, std::ranges::greater{}, &FlatNumber::size);  // each is aligned behind larger ones
    std::size_t fields = 0, size = 4;
    for (auto const& number : numbers) fields = std::max(fields, number.field + 1), size += number.size;
    auto const list = bytes_.size(), list_size = 4 + 2 * fields;
    auto const at = (list + list_size + 3) / 8 * 8 + 4;  // numbers of 8 bytes come 4 bytes later
    bytes_.resize((at + size + 3) / 4 * 4);
    set(list, static_cast<std::uint16_t>(list_size)), set(list + 2, static_cast<std::uint16_t>(size));
    set(at, static_cast<std::int32_t>(at - list));
    auto place = at + 4;
    for (auto const& number : numbers) {
      set(list + 4 + 2 * number.field, static_cast<std::uint16_t>(place - at));
      std::memcpy(bytes_.data() + place, &number.value, number.size);
      place += number.size;
    }
    if (list == 4) link(0, at);  // the root
    return at;
  }
  std::size_t string(std::string_view text) {
    auto const at = bytes_.size();
    bytes_.resize((at + 4 + text.size() + 1 + 3) / 4 * 4);  // with a zero behind it
    set(at, static_cast<std::uint32_t>(text.size()));
    if (!text.empty()) std::memcpy(bytes_.data() + at + 4, text.data(), text.size());
    return at;
  }
  /// A vector of references.
  std::size_t references(std::size_t count) {
    auto const at = bytes_.size();
    bytes_.resize(at + 4 + 4 * count);
    set(at, static_cast<std::uint32_t>(count));
    return at;
  }
  /// A vector of structs of two integers.
  std::size_t pairs(std::vector<std::pair<std::uint64_t, std::int64_t>> const& all) {
    auto const at = (bytes_.size() + 3) / 8 * 8 + 4;
    bytes_.resize(at + 4 + 16 * all.size());
    set(at, static_cast<std::uint32_t>(all.size()));
    for (std::size_t i = 0; i < all.size(); ++i)
      set(at + 4 + 16 * i, all[i].first), set(at + 12 + 16 * i, all[i].second);
    return at;
  }
  /// Where reference i of a vector is, and field `field` of a table, which has it.
  static std::size_t item(std::size_t references, std::size_t i) { return references + 4 + 4 * i; }
  std::size_t place(std::size_t table, std::size_t field) const {
    std::int32_t back = 0;
    std::uint16_t offset = 0;
    std::memcpy(&back, bytes_.data() + table, sizeof back);
    std::memcpy(&offset, bytes_.data() + table - static_cast<std::size_t>(back) + 4 + 2 * field, sizeof offset);
    return table + offset;
  }
  void link(std::size_t reference, std::size_t to) { set(reference, static_cast<std::uint32_t>(to - reference)); }

  std::vector<std::byte> const& bytes() const { return bytes_; }

 private:
  template <class T>
  void set(std::size_t at, T number) {
    std::memcpy(bytes_.data() + at, &number, sizeof number);
  }

  std::vector<std::byte> bytes_ = std::vector<std::byte>(4);
};

}}}  // namespace tessera::v0::detail
