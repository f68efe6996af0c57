// numcodecs' delta: the first element of a chunk, then the difference of each from the one before it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <tessera/codec/concept.hpp>
#include <tessera/codec/number_type.hpp>
#include <tessera/core/with_integer.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `dtype` of the elements, and `astype` of the differences, the same where it is not there: type
/// strings of NumPy, of integers both, or of one floating-point type. Integers wrap around. Times are int64 to it.
struct Delta {
  using kind = array_to_array;
  static constexpr std::string_view name = "numcodecs.delta";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  detail::NumpyType dtype, astype;

  static Delta from(ObjectReader& configuration) {
    auto const elements = configuration.at("dtype");
    auto const differences = configuration.find("astype");
    Delta codec{detail::read_number_type(elements), {}};
    bool const is_said = differences && !differences->value().is_null();
    codec.astype = is_said ? detail::read_number_type(*differences) : codec.dtype;
    bool const is_real = codec.dtype.type.kind == DataKind::floating && codec.dtype.type.size >= 4;
    if (!detail::holds_integers(codec.dtype.type) && !is_real) elements.refuse("integers, or numbers of 32 or 64 bits");
    if (is_real ? codec.astype.type != codec.dtype.type : !detail::holds_integers(codec.astype.type))
      differences->refuse(is_real ? "the type of the elements" : "integers, as the elements are");
    return codec;
  }
  Value configuration() const {
    return Members{{"dtype", detail::write_numpy_type(dtype)}, {"astype", detail::write_numpy_type(astype)}};
  }

  DataType encoded_type(DataType) const { return astype.type; }
  ChunkSpecification encoded(ChunkSpecification chunk) const {
    if (chunk.type != dtype.type && !detail::is_count_of(dtype.type, chunk.type))
      throw MetadataError{text({"member configuration.dtype: found ", detail::write_numpy_type(dtype),
                                ", expected the elements' type, ", chunk.type.name()})};
    chunk.type = astype.type;
    chunk.fill.assign(chunk.type.size, std::byte{});
    return chunk;
  }

  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    return run(from, astype.type, to, dtype.type, []<class A, class T>(std::span<A const> one, std::span<T> other) {
      T sum{};
      if constexpr (std::is_floating_point_v<T>) sum = -sum;  // to which -0 adds as -0
      for (std::size_t i = 0; i < one.size(); ++i) other[i] = sum = static_cast<T>(sum + static_cast<T>(one[i]));
    });
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const {
    return run(from, dtype.type, to, astype.type, []<class T, class A>(std::span<T const> one, std::span<A> other) {
      T before{};
      for (std::size_t i = 0; i < one.size(); ++i) {
        other[i] = static_cast<A>(static_cast<T>(static_cast<Wrapping<T>>(one[i]) - static_cast<Wrapping<T>>(before)));
        before = one[i];
      }
    });
  }

  /// Elements that so many bytes of the type `one` are. Throws: CodecError, if these are not whole ones, or there is no
  /// room for as many of the other type.
  static std::size_t count(std::size_t from, DataType one, std::size_t to, DataType other) {
    auto const count = from / one.size;
    if (count * one.size != from || to / other.size < count)
      throw CodecError{text({"found ", from, " bytes of ", one.name(), ", expected ", to / other.size, " elements"})};
    return count;
  }

 private:
  // Where a difference may wrap around: the overflow of signed integers is undefined.
  template <class T>
  using Wrapping = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;

  // Of what is made of integers: it wraps around.
  static DataType wrapping(DataType type) { return {DataKind::unsigned_integer, type.size}; }

  template <class F>
  static std::size_t run(ByteView<space::Host> from, DataType one, ByteSpan<space::Host> to, DataType other, F&& f) {
    auto const count = Delta::count(from.size, one, to.size, other);
    auto const call = [&]<class One, class Other>(One, Other) {
      f(std::span{reinterpret_cast<One const*>(from.data), count}, std::span{reinterpret_cast<Other*>(to.data), count});
    };
    if (one.kind == DataKind::floating)
      one.size == 4 ? call(float{}, float{}) : call(double{}, double{});
    else
      detail::with_integer(one, [&](auto a) { detail::with_integer(wrapping(other), [&](auto b) { call(a, b); }); });
    return count * other.size;
  }
};

}  // namespace codec
}}  // namespace tessera::v0
