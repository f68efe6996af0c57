// Numbers of sixteen bits and less that C++ has no types for: their bits, and what number those are (zarr-extensions,
// data-types).
#pragma once
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/small_float.hpp>

namespace tessera { inline namespace v0 {

/// The bits of a floating-point number. `float(x)` is the number, which a float holds.
template <NumberFormat Format>
requires(Format >= detail::first_small_float) struct float_bits {
  using bits_type = std::conditional_t<Format == NumberFormat::bfloat16, std::uint16_t, std::uint8_t>;
  bits_type bits = 0;

  TESSERA_HOST_DEVICE explicit constexpr operator float() const {
    constexpr auto format = detail::small_float(Format);
    auto const all = format.sign() == 0 ? 0xffu : 2 * format.sign() - 1;  // of six and four bits: the low ones
    auto const low = std::uint32_t{bits} & all;
    if (format.is_nan(low)) return __builtin_nanf("");
    if (format.is_infinite(low)) return low & format.sign() ? -__builtin_inff() : __builtin_inff();
    return static_cast<float>(format.value(low));
  }
  friend bool operator==(float_bits, float_bits) = default;  ///< of the bits
};

using bfloat16_bits = float_bits<NumberFormat::bfloat16>;
using float8_e3m4_bits = float_bits<NumberFormat::float8_e3m4>;
using float8_e4m3_bits = float_bits<NumberFormat::float8_e4m3>;
using float8_e4m3b11fnuz_bits = float_bits<NumberFormat::float8_e4m3b11fnuz>;
using float8_e4m3fn_bits = float_bits<NumberFormat::float8_e4m3fn>;
using float8_e4m3fnuz_bits = float_bits<NumberFormat::float8_e4m3fnuz>;
using float8_e5m2_bits = float_bits<NumberFormat::float8_e5m2>;
using float8_e5m2fnuz_bits = float_bits<NumberFormat::float8_e5m2fnuz>;
using float8_e8m0fnu_bits = float_bits<NumberFormat::float8_e8m0fnu>;
using float6_e2m3fn_bits = float_bits<NumberFormat::float6_e2m3fn>;
using float6_e3m2fn_bits = float_bits<NumberFormat::float6_e3m2fn>;
using float4_e2m1fn_bits = float_bits<NumberFormat::float4_e2m1fn>;

template <NumberFormat Format>
struct element_traits<float_bits<Format>> {
  static constexpr DataType type{DataKind::floating, detail::size_of(Format), Format};
};

/// Two of these, or of float16_bits.
template <class Part>
requires(element_traits<Part>::type.kind == DataKind::floating) struct complex_bits {
  Part real, imaginary;
  friend bool operator==(complex_bits, complex_bits) = default;
};
template <class Part>
struct element_traits<complex_bits<Part>> {
  static constexpr DataType type{DataKind::complex, 2 * sizeof(Part), element_traits<Part>::type.format};
};

/// An integer in the low bits of a byte: what the other bits are means nothing when it is read, and they repeat the
/// sign when it is made of a number.
template <NumberFormat Format, bool Signed>
requires(Format == NumberFormat::int2 || Format == NumberFormat::int4) struct integer_bits {
  std::uint8_t bits = 0;

  integer_bits() = default;
  /// Requires: the number fits.
  TESSERA_HOST_DEVICE explicit constexpr integer_bits(int number) : bits{static_cast<std::uint8_t>(number)} {}
  TESSERA_HOST_DEVICE constexpr operator int() const {
    constexpr int count = Format == NumberFormat::int2 ? 4 : 16;
    int const low = bits % count;
    return Signed && low >= count / 2 ? low - count : low;
  }
  friend constexpr bool operator==(integer_bits a, integer_bits b) { return int(a) == int(b); }
};
using int2_bits = integer_bits<NumberFormat::int2, true>;
using int4_bits = integer_bits<NumberFormat::int4, true>;
using uint2_bits = integer_bits<NumberFormat::int2, false>;
using uint4_bits = integer_bits<NumberFormat::int4, false>;

template <NumberFormat Format, bool Signed>
struct element_traits<integer_bits<Format, Signed>> {
  static constexpr DataType type{Signed ? DataKind::signed_integer : DataKind::unsigned_integer, 1, Format};
};

}}  // namespace tessera::v0
