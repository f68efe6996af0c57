#pragma once
#include <tessera/codec/array_to_array/delta.hpp>

#include <cstddef>
#include <span>

#include <tessera/codec/detail/number_type.hpp>
#include <tessera/codec/detail/numbers.hpp>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL Delta Delta::from(ObjectReader& configuration) {
  auto const elements = configuration.at("dtype");
  auto const differences = configuration.find("astype");
  Delta codec{detail::read_number_type(elements), {}};
  bool const is_said = differences && !differences->value().is_null();
  codec.astype = is_said ? detail::read_number_type(*differences) : codec.dtype;
  bool const is_real = codec.dtype.type.kind == DataKind::floating && codec.dtype.type.format == NumberFormat::usual;
  if (!detail::holds_integers(codec.dtype.type) && !is_real)
    elements.refuse("integers, or floating-point numbers of 16, 32 or 64 bits");
  if (is_real ? codec.astype.type != codec.dtype.type : !detail::holds_integers(codec.astype.type))
    differences->refuse(is_real ? "the type of the elements" : "integers, like the elements");
  return codec;
}

TESSERA_DECL Value Delta::configuration() const {
  return Members{{"dtype", detail::write_numpy_type(dtype)}, {"astype", detail::write_numpy_type(astype)}};
}

TESSERA_DECL ChunkSpecification Delta::encoded(ChunkSpecification chunk) const {
  if (chunk.type != dtype.type && !detail::is_count_of(dtype.type, chunk.type))
    throw MetadataError{to_text({"member configuration.dtype: found ", detail::write_numpy_type(dtype),
                                 ", expected the elements' type, ", chunk.type.name()})};
  chunk.type = astype.type;
  chunk.fill.assign(chunk.type.size, std::byte{});
  return chunk;
}

TESSERA_DECL std::size_t Delta::decode(ByteView<space::Host> from, ByteSpan<space::Host> to,
                                       Queue<space::Host>& on) const {
  return decode_part(from, to, {0, to.size, to.size}, on);
}

TESSERA_DECL std::size_t Delta::decode_part(ByteView<space::Host> from, ByteSpan<space::Host> to, ChunkPart part,
                                            Queue<space::Host>&) const {
  auto const before = part.first / dtype.type.size;
  if (from.size / astype.type.size < before)
    throw CodecError{to_text({"found ", from.size, " bytes of ", astype.type.name(), ", expected more than ", before,
                              " elements"})};
  auto const add_up = [&]<class A, class T>(std::span<A const> one, std::span<T> other) {
    T sum{};
    if constexpr (is_real<T>) sum = -sum;  // so that a sum of -0 is -0
    for (std::size_t i = 0; i < before; ++i) sum = static_cast<T>(sum + static_cast<T>(one[i]));
    for (std::size_t i = 0; i < other.size(); ++i)
      other[i] = sum = static_cast<T>(sum + static_cast<T>(one[before + i]));
  };
  return run(from, astype.type, to, dtype.type, add_up, before);
}

TESSERA_DECL std::size_t Delta::encode(ByteView<space::Host> from, ByteSpan<space::Host> to,
                                       Queue<space::Host>&) const {
  return run(from, dtype.type, to, astype.type, []<class T, class A>(std::span<T const> one, std::span<A> other) {
    T before{};
    for (std::size_t i = 0; i < one.size(); ++i) {
      other[i] = static_cast<A>(static_cast<T>(static_cast<Wrapping<T>>(one[i]) - static_cast<Wrapping<T>>(before)));
      before = one[i];
    }
  });
}

TESSERA_DECL std::size_t Delta::count(std::size_t from, DataType one, std::size_t to, DataType other) {
  auto const count = from / one.size;
  if (count * one.size != from || to / other.size < count)
    throw CodecError{to_text({"found ", from, " bytes of ", one.name(), ", expected ", to / other.size, " elements"})};
  return count;
}

TESSERA_DECL DataType Delta::wrapping(DataType type) { return {DataKind::unsigned_integer, type.size}; }

}}}  // namespace tessera::v0::codec
