#pragma once
#include <tessera/codec/array_to_bytes/pack_bits.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <tessera/codec/detail/packed_bits.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/detail/with_integer.hpp>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL PackBits PackBits::from(ObjectReader& configuration) {
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

TESSERA_DECL Value PackBits::configuration() const {
  Members members;
  if (padding != Padding::none)
    members.push_back({"padding_encoding", padding == Padding::first_byte ? "first_byte" : "last_byte"});
  if (first_bit) members.push_back({"first_bit", Value::integer(*first_bit)});
  if (last_bit) members.push_back({"last_bit", Value::integer(*last_bit)});
  return members;
}

TESSERA_DECL Layout PackBits::layout(ChunkSpecification const& chunk) const {
  (void)bits_of(chunk);
  return Layout::c_order(chunk.shape, chunk.type.size);
}

TESSERA_DECL std::size_t PackBits::encode(ChunkSpecification const& chunk, ByteView<space::Host> from,
                                          ByteSpan<space::Host> to, Queue<space::Host>&) const {
  auto const bits = bits_of(chunk);
  auto const size = packed(bits);
  expect_elements(bits, from.size);
  auto* const out = to.data + (padding == Padding::first_byte);
  detail::with_integer({DataKind::unsigned_integer, bits.size}, [&](auto one) {
    auto const* const components = reinterpret_cast<std::make_unsigned_t<decltype(one)> const*>(from.data);
    for (std::size_t i = 0; i < size; ++i) out[i] = bits.byte_at(components, i);
  });
  if (padding != Padding::none) (padding == Padding::first_byte ? to.data[0] : out[size]) = bits.unused();
  return size + (padding != Padding::none);
}

TESSERA_DECL std::size_t PackBits::decode(ChunkSpecification const& chunk, ByteView<space::Host> from,
                                          ByteSpan<space::Host> to, Queue<space::Host>&) const {
  auto const bits = bits_of(chunk);
  auto const kept = padding_in(bits, from.size, to.size);
  if (kept != Padding::none) expect_unused(bits, from.data[kept == Padding::first_byte ? 0 : from.size - 1]);
  auto const* const in = from.data + (kept == Padding::first_byte);
  detail::with_integer({DataKind::unsigned_integer, bits.size}, [&](auto one) {
    using Bits = std::make_unsigned_t<decltype(one)>;
    auto* const out = reinterpret_cast<Bits*>(to.data);
    for (std::size_t i = 0; i < bits.count; ++i) out[i] = static_cast<Bits>(bits.component_at(in, i));
  });
  return bits.count * bits.size;
}

TESSERA_DECL std::size_t PackBits::decode_part(ChunkSpecification const& chunk, ByteView<space::Host> from,
                                               ByteSpan<space::Host> to, ChunkPart part, Queue<space::Host>&) const {
  auto const bits = bits_of(chunk);
  auto const expected = static_cast<std::size_t>(encoded_range(chunk, {part.first, part.size}).size);
  if (from.size != expected || to.size < part.size)
    throw CodecError{to_text({"found ", from.size, " bytes, expected ", expected})};
  auto const first = part.first / bits.size * bits.width % 8;
  detail::with_integer({DataKind::unsigned_integer, bits.size}, [&](auto one) {
    using Bits = std::make_unsigned_t<decltype(one)>;
    auto* const out = reinterpret_cast<Bits*>(to.data);
    for (std::size_t i = 0; i < part.size / bits.size; ++i)
      out[i] = static_cast<Bits>(bits.component_from(from.data, first + i * bits.width));
  });
  return part.size;
}

TESSERA_DECL detail::PackedBits PackBits::bits_of(ChunkSpecification const& chunk) const {
  auto const all = component_bits(chunk.type);
  if (all == 0)
    throw MetadataError{to_text({"found elements of ", chunk.type.name(), ", which this codec does not support"})};
  auto const size = chunk.type.component();
  auto const first = first_bit.value_or(0), last = last_bit.value_or(all - 1);
  if (last >= all || last < first)
    throw MetadataError{to_text({"member configuration.", last_bit ? "last_bit" : "first_bit", ": found bits ", first,
                                 " to ", last, ", expected ", all == 1 ? "bit 0" : "bits from 0 to ",
                                 all == 1 ? "" : std::to_string(all - 1), ", which ", chunk.type.name(), " has"})};
  return {chunk.size_in_bytes() / size, static_cast<std::uint32_t>(size), first, last - first + 1,
          chunk.type.kind == DataKind::signed_integer};
}

TESSERA_DECL void PackBits::expect_elements(detail::PackedBits const& bits, std::size_t size) {
  if (size != bits.count * bits.size)
    throw CodecError{to_text({"found ", size, " bytes of elements, which is not the size of the chunk"})};
}

TESSERA_DECL void PackBits::expect_unused(detail::PackedBits const& bits, std::byte found) {
  if (found != bits.unused())
    throw CodecError{to_text(
        {"found ", std::to_integer<int>(found), " bits of padding, expected ", std::to_integer<int>(bits.unused())})};
}

TESSERA_DECL PackBits::Padding PackBits::padding_in(detail::PackedBits const& bits, std::size_t from,
                                                    std::size_t to) const {
  auto const size = packed(bits), all = size + (padding != Padding::none);
  bool const is_bare = from == size && bits.width == 8 * bits.size;
  if ((from != all && !is_bare) || to < bits.count * bits.size)
    throw CodecError{to_text({"found ", from, " bytes, expected ", all})};
  return is_bare ? Padding::none : padding;
}

TESSERA_DECL std::size_t PackBits::packed(detail::PackedBits const& bits) {
  auto const all = checked_product(bits.count, bits.width, "the chunk's bits");
  return checked_size(all / 8 + (all % 8 != 0), "the chunk");
}

TESSERA_DECL std::uint32_t PackBits::component_bits(DataType type) {
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

}}}  // namespace tessera::v0::codec
