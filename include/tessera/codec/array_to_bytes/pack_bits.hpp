// packbits: elements of as many bits as they need, one after the other, from the lowest bit of each byte on
// (zarr-extensions, codecs/packbits).
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <tessera/codec/concept.hpp>
#include <tessera/core/checked.hpp>
#include <tessera/core/with_integer.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `first_bit` and `last_bit` of each component that are stored, all where they are not there; and
/// `padding_encoding`: whether a byte before the others, or behind them, says how many bits of the last one are none.
/// Of booleans, which have one bit, numbers and complex ones; numbers of two, four and six bits have no more.
struct PackBits {
  using kind = array_to_bytes;
  static constexpr std::string_view name = "packbits";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  enum class Padding : std::uint8_t { none, first_byte, last_byte };
  Padding padding = Padding::none;
  std::optional<std::uint32_t> first_bit{}, last_bit{};

  static PackBits from(ObjectReader& configuration) {
    PackBits codec;
    if (auto const found = configuration.find("padding_encoding")) {
      auto const& said = found->one_of({"none", "first_byte", "last_byte"});
      codec.padding = said == "none" ? Padding::none : said == "first_byte" ? Padding::first_byte : Padding::last_byte;
    }
    for (auto const* member : {"first_bit", "last_bit"})
      if (auto const found = configuration.find(member); found && !found->value().is_null())
        (*member == 'f' ? codec.first_bit : codec.last_bit) = found->integer<std::uint32_t>(0, 63);
    return codec;
  }
  Value configuration() const {
    Members members;
    if (padding != Padding::none)
      members.push_back({"padding_encoding", padding == Padding::first_byte ? "first_byte" : "last_byte"});
    if (first_bit) members.push_back({"first_bit", Value::integer(*first_bit)});
    if (last_bit) members.push_back({"last_bit", Value::integer(*last_bit)});
    return members;
  }

  Layout layout(ChunkSpecification const& chunk) const {
    (void)bits_of(chunk);
    return Layout::c_order(chunk.shape, chunk.type.size);
  }
  std::size_t encoded_bound(ChunkSpecification const& chunk) const {
    return packed(bits_of(chunk)) + (padding != Padding::none);
  }

  std::size_t encode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const {
    auto const bits = bits_of(chunk);
    auto const size = packed(bits);
    if (from.size != bits.count * bits.size) throw CodecError{text({"found ", from.size, " bytes of elements"})};
    auto* const out = to.data + (padding == Padding::first_byte);
    if (size > 0) std::memset(out, 0, size);
    std::size_t at = 0;  // in bits
    detail::with_integer(bits.stored_as(), [&](auto one) {
      auto const* const in = reinterpret_cast<std::make_unsigned_t<decltype(one)> const*>(from.data);
      for (std::size_t i = 0; i < bits.count; ++i)
        for (std::uint64_t left = bits.width, value = std::uint64_t{in[i]} >> bits.first & bits.mask(); left > 0;) {
          auto const n = std::min<std::uint64_t>(left, 8 - at % 8);
          out[at / 8] |= static_cast<std::byte>(value << at % 8);
          value >>= n, at += n, left -= n;
        }
    });
    if (padding != Padding::none) (padding == Padding::first_byte ? to.data[0] : out[size]) = padding_byte(bits);
    return size + (padding != Padding::none);
  }

  std::size_t decode(ChunkSpecification const& chunk, ByteView<space::Host> from, ByteSpan<space::Host> to,
                     Queue<space::Host>&) const {
    auto const bits = bits_of(chunk);
    auto const size = packed(bits), all = size + (padding != Padding::none);
    // zarrs writes no such byte where elements are whole bytes.
    bool const is_bare = from.size == size && bits.width == 8 * bits.size;
    if ((from.size != all && !is_bare) || to.size < bits.count * bits.size)
      throw CodecError{text({"found ", from.size, " bytes, expected ", all})};
    bool const is_first = padding == Padding::first_byte && !is_bare;
    if (padding != Padding::none && !is_bare)
      if (auto const found = from.data[is_first ? 0 : size]; found != padding_byte(bits))
        throw CodecError{text({"found ", std::to_integer<int>(found), " bits of padding, expected ",
                               std::to_integer<int>(padding_byte(bits))})};
    auto const* const in = from.data + is_first;
    std::size_t at = 0;
    detail::with_integer(bits.stored_as(), [&](auto one) {
      using Bits = std::make_unsigned_t<decltype(one)>;
      auto* const out = reinterpret_cast<Bits*>(to.data);
      for (std::size_t i = 0; i < bits.count; ++i) {
        std::uint64_t value = 0;
        for (std::uint64_t read = 0; read < bits.width;) {
          auto const n = std::min<std::uint64_t>(bits.width - read, 8 - at % 8);
          value |= (std::to_integer<std::uint64_t>(in[at / 8]) >> at % 8 & ((1u << n) - 1)) << read;
          read += n, at += n;
        }
        bool const is_extended = bits.is_signed && value >> (bits.width - 1) != 0;
        out[i] = static_cast<Bits>((is_extended ? value | ~bits.mask() : value) << bits.first);
      }
    });
    return bits.count * bits.size;
  }

 private:
  /// Of a component: which of its bits are stored.
  struct Stored {
    std::size_t count, size;
    std::uint32_t first, width;
    bool is_signed;
    DataType stored_as() const { return {DataKind::unsigned_integer, static_cast<std::uint32_t>(size)}; }
    std::uint64_t mask() const { return ~std::uint64_t{0} >> (64 - width); }
  };
  Stored bits_of(ChunkSpecification const& chunk) const {
    auto const all = component_bits(chunk.type);
    if (all == 0) throw MetadataError{text({"found elements of ", chunk.type.name(), ", which it does not take"})};
    auto const size = chunk.type.component();
    auto const first = first_bit.value_or(0), last = last_bit.value_or(all - 1);
    if (last >= all || last < first)
      throw MetadataError{text({"member configuration.", last_bit ? "last_bit" : "first_bit", ": found bits ", first,
                                " to ", last, ", expected ", all == 1 ? "bit 0" : "bits from 0 to ",
                                all == 1 ? "" : std::to_string(all - 1), ", which ", chunk.type.name(), " has"})};
    return {chunk.size_in_bytes() / size, size, first, last - first + 1, chunk.type.kind == DataKind::signed_integer};
  }
  /// 0: it does not take such elements.
  static std::uint32_t component_bits(DataType type) {
    switch (type.kind) {
      case DataKind::boolean:
        return 1;
      case DataKind::signed_integer:
      case DataKind::unsigned_integer:
      case DataKind::floating:
      case DataKind::complex:
        break;
      default:
        return 0;
    }
    switch (type.format) {
      case NumberFormat::int2:
        return 2;
      case NumberFormat::int4:
      case NumberFormat::float4_e2m1fn:
        return 4;
      case NumberFormat::float6_e2m3fn:
      case NumberFormat::float6_e3m2fn:
        return 6;
      default:
        return static_cast<std::uint32_t>(8 * type.component());
    }
  }
  static std::size_t packed(Stored const& bits) {
    auto const all = checked_product(bits.count, bits.width, "the chunk's bits");
    return checked_size(all / 8 + (all % 8 != 0), "the chunk");
  }
  static std::byte padding_byte(Stored const& bits) {
    return static_cast<std::byte>((8 - bits.count * bits.width % 8) % 8);
  }
};

}  // namespace codec
}}  // namespace tessera::v0
