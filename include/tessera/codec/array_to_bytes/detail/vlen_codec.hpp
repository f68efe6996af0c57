// VlenCodec: chunks of strings or bytes, each after its length.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>

#include <tessera/codec/concept.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/detail/element_reference.hpp>
#include <tessera/core/detail/unicode.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Chunks of ElementReferences, and their stored form: the number of elements, then each one's length and bytes.
/// Numbers have 32 bits, little-endian.
template <DataKind Kind>
struct VlenCodec {
  using kind = array_to_bytes;
  static constexpr std::string_view name = Kind == DataKind::string ? "vlen-utf8" : "vlen-bytes";
  static constexpr bool takes_varying = true;
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Host>;

  /// Throws: MetadataError, if the elements have another type.
  Layout layout(ChunkSpecification const& chunk) const {
    if (chunk.type.kind != Kind)
      throw MetadataError{to_text({"found elements of ", chunk.type.name(), ", expected ", DataType{Kind, 16}.name()})};
    return Layout::c_order(chunk.shape, chunk.type.size);
  }
  /// An estimate: the size is unknown before the elements exist.
  std::size_t encoded_bound(ChunkSpecification const& chunk) const {
    return checked_size(checked_product(chunk.size_in_bytes(), 2, "a chunk") + width, "a chunk");
  }

  /// Elements refer to `from`. Throws: CodecError, if it is not such a chunk, or has strings that are not UTF-8.
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    auto const count = to.size / sizeof(ElementReference);
    if (from.size < width)
      throw CodecError{to_text({"found ", from.size, " bytes, expected at least 4 for the number of elements"})};
    if (auto const found = number(from.data); found != count)
      throw CodecError{to_text({"found ", found, " elements, expected ", count})};
    bool const is_checked = Kind == DataKind::string && !is_ascii(from);
    auto at = width;
    for (std::size_t i = 0; i < count; ++i) {
      auto const left = from.size - at;
      auto const size = left < width ? std::uint32_t{0} : number(from.data + at);
      if (left < width || size > left - width)
        throw CodecError{to_text({"element ", i, " of ", count, " does not lie within the ", from.size, " bytes"})};
      ElementReference const element{from.data + at + width, size};
      if (is_checked) expect_utf8(element, i);
      std::memcpy(to.data + i * sizeof element, &element, sizeof element);
      at += width + size;
    }
    if (at != from.size) throw CodecError{to_text({"found ", from.size - at, " bytes after the last element"})};
    return count * sizeof(ElementReference);
  }

  /// Throws: CodecError, if there are too many elements, one is too long, or a string is not UTF-8.
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    auto const count = from.size / sizeof(ElementReference);
    expect_at_most(count, "elements");
    put_number(to.data, count);
    auto at = width;
    for (std::size_t i = 0; i < count; ++i) {
      auto const element = reference_at(from.data + i * sizeof(ElementReference));
      expect_at_most(element.size, "bytes of an element");
      if (to.size - at < width || element.size > to.size - at - width)
        throw CodecError{to_text({"element ", i, " does not fit into ", to.size, " bytes"})};
      if (Kind == DataKind::string && !is_ascii({element.data, element.size})) expect_utf8(element, i);
      put_number(to.data + at, element.size);
      if (element.size > 0) std::memcpy(to.data + at + width, element.data, element.size);
      at += width + element.size;
    }
    return at;
  }

  /// Whether all bytes are below 128; those of lengths below 128 are, too.
  static bool is_ascii(ByteView<space::Host> bytes) {
    constexpr std::size_t step = 8;
    std::uint64_t all = 0, word = 0;
    std::size_t i = 0;
    for (; i + step <= bytes.size; i += step) {
      std::memcpy(&word, bytes.data + i, step);
      all |= word;
    }
    for (; i < bytes.size; ++i) all |= std::to_integer<std::uint64_t>(bytes.data[i]);
    return (all & 0x8080808080808080) == 0;
  }
  /// Throws: CodecError naming element `i`.
  static void expect_utf8(ElementReference element, std::size_t i) {
    std::string_view rest{reinterpret_cast<char const*>(element.data), static_cast<std::size_t>(element.size)};
    while (!rest.empty()) {
      auto const size = decode_utf8(rest).size;
      if (size == 0)
        throw CodecError{to_text({"element ", i, " is not UTF-8 from byte ", element.size - rest.size(), " on"})};
      rest.remove_prefix(size);
    }
  }

 private:
  static constexpr std::size_t width = 4;

  static std::uint32_t number(std::byte const* at) {
    std::uint32_t value = 0;
    for (std::size_t i = width; i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(at[i]);
    return value;
  }
  static void put_number(std::byte* at, std::size_t value) {
    for (std::size_t i = 0; i < width; ++i) at[i] = static_cast<std::byte>(value >> 8 * i & 0xff);
  }
  static void expect_at_most(std::size_t count, std::string_view what) {
    constexpr auto most = std::numeric_limits<std::uint32_t>::max();
    if (count > most) throw CodecError{to_text({"found ", count, " ", what, ", expected at most ", most})};
  }
};

}}}  // namespace tessera::v0::detail
