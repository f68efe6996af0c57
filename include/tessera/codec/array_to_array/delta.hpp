// Delta: numcodecs' delta: a chunk's first element, then each element's difference from the one before it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

#include <tessera/codec/concept.hpp>
#include <tessera/core/detail/numpy_type.hpp>
#include <tessera/core/detail/with_integer.hpp>
#include <tessera/core/float16.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `dtype` of the elements, and `astype` of the differences, by default the same: NumPy type strings,
/// both of integers, or of one floating-point type. Integers wrap around. Times count as int64.
struct Delta {
  using kind = array_to_array;
  static constexpr std::string_view name = "numcodecs.delta";
  template <class S>
  static constexpr bool runs_in = S::host_accessible;

  detail::NumpyType dtype, astype;

  static Delta from(ObjectReader& configuration);
  Value configuration() const;

  ChunkSpecification encoded(ChunkSpecification chunk) const;
  std::size_t decode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const;
  /// Decodes the elements before the part, too, from the first one on: each is the sum of all differences up to it.
  std::size_t decode_part(ByteView<space::Host> from, ByteSpan<space::Host> to, ChunkPart part,
                          Queue<space::Host>&) const;
  ByteRange encoded_range(ByteRange part) const {
    return {0, (part.offset + part.size) / dtype.type.size * astype.type.size};
  }
  std::size_t encode(ByteView<space::Host> from, ByteSpan<space::Host> to, Queue<space::Host>&) const;

  /// The number of elements of type `one` in `from` bytes. Throws: CodecError, if these are not whole, or `to` bytes
  /// cannot hold as many of type `other`.
  static std::size_t count(std::size_t from, DataType one, std::size_t to, DataType other);

 private:
  // float16 is computed in float, and rounded after each operation, as in NumPy.
  template <class T>
  static constexpr bool is_real = std::is_floating_point_v<T> || std::is_same_v<T, float16>;

  // For differences, which may wrap around: overflow of signed integers is undefined.
  template <class T>
  using Wrapping = std::conditional_t<is_real<T>, T, std::uint64_t>;

  // The type of results that wrap around.
  static DataType wrapping(DataType type);

  // `to` is for the elements after the first `before`. Requires: `from` has as many.
  template <class F>
  static std::size_t run(ByteView<space::Host> from, DataType one, ByteSpan<space::Host> to, DataType other, F&& f,
                         std::size_t before = 0) {
    auto const count = before + Delta::count(from.size - before * one.size, one, to.size, other);
    auto const call = [&]<class One, class Other>(One, Other) {
      f(std::span{reinterpret_cast<One const*>(from.data), count},
        std::span{reinterpret_cast<Other*>(to.data), count - before});
    };
    if (one.kind == DataKind::floating)
      one.size == 2 ? call(float16{}, float16{}) : one.size == 4 ? call(float{}, float{}) : call(double{}, double{});
    else
      detail::with_integer(one, [&](auto a) { detail::with_integer(wrapping(other), [&](auto b) { call(a, b); }); });
    return count * other.size;
  }
};

}  // namespace codec
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/array_to_array/detail/delta.ipp>
#endif
