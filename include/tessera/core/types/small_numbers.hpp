// Numbers of 16 bits and less that C++ has no types for: their bits and values (zarr-extensions, data-types).
#pragma once
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/small_float.hpp>

namespace tessera { inline namespace v0 {

/// The bits of a floating-point number. `float(x)` is its value, exactly.
template <NumberFormat Format>
requires(Format >= detail::first_small_float) struct float_bits {
  using bits_type = std::conditional_t<Format == NumberFormat::bfloat16, std::uint16_t, std::uint8_t>;
  bits_type bits = 0;

  /// Exact.
  TESSERA_HOST_DEVICE explicit constexpr operator float() const {
    constexpr auto format = detail::small_float(Format);
    auto const all = format.sign() == 0 ? 0xffu : 2 * format.sign() - 1;  // formats of 6 and 4 bits use the low bits
    auto const low = std::uint32_t{bits} & all;
    if (format.is_nan(low)) return __builtin_nanf("");
    if (format.is_infinite(low)) return low & format.sign() ? -__builtin_inff() : __builtin_inff();
    return static_cast<float>(format.value(low));
  }
  friend bool operator==(float_bits, float_bits) = default;  ///< compares bits
};

/// 8 bits of exponent and 7 of mantissa; infinity and NaN as in IEEE 754.
using bfloat16_bits = float_bits<NumberFormat::bfloat16>;
/// 3 bits of exponent and 4 of mantissa; infinity and NaN as in IEEE 754.
using float8_e3m4_bits = float_bits<NumberFormat::float8_e3m4>;
/// 4 bits of exponent and 3 of mantissa; infinity and NaN as in IEEE 754.
using float8_e4m3_bits = float_bits<NumberFormat::float8_e4m3>;
/// 4 bits of exponent, bias 11, and 3 of mantissa; NaN, no infinity, no -0.
using float8_e4m3b11fnuz_bits = float_bits<NumberFormat::float8_e4m3b11fnuz>;
/// 4 bits of exponent and 3 of mantissa; NaN, no infinity.
using float8_e4m3fn_bits = float_bits<NumberFormat::float8_e4m3fn>;
/// 4 bits of exponent and 3 of mantissa; NaN, no infinity, no -0.
using float8_e4m3fnuz_bits = float_bits<NumberFormat::float8_e4m3fnuz>;
/// 5 bits of exponent and 2 of mantissa; infinity and NaN as in IEEE 754.
using float8_e5m2_bits = float_bits<NumberFormat::float8_e5m2>;
/// 5 bits of exponent and 2 of mantissa; NaN, no infinity, no -0.
using float8_e5m2fnuz_bits = float_bits<NumberFormat::float8_e5m2fnuz>;
/// Powers of two: 8 bits of exponent; NaN, no infinity, no sign, no zero.
using float8_e8m0fnu_bits = float_bits<NumberFormat::float8_e8m0fnu>;
/// 2 bits of exponent and 3 of mantissa; no NaN, no infinity.
using float6_e2m3fn_bits = float_bits<NumberFormat::float6_e2m3fn>;
/// 3 bits of exponent and 2 of mantissa; no NaN, no infinity.
using float6_e3m2fn_bits = float_bits<NumberFormat::float6_e3m2fn>;
/// 2 bits of exponent and 1 of mantissa; no NaN, no infinity.
using float4_e2m1fn_bits = float_bits<NumberFormat::float4_e2m1fn>;

template <NumberFormat Format>
struct element_traits<float_bits<Format>> {
  static constexpr DataType type{DataKind::floating, detail::size_of(Format), Format};
};

/// A complex number of two float_bits or float16_bits, its `real` and `imaginary` parts.
template <class Part>
requires(element_traits<Part>::type.kind == DataKind::floating) struct complex_bits {
  Part real, imaginary;
  friend bool operator==(complex_bits, complex_bits) = default;
};
template <class Part>
struct element_traits<complex_bits<Part>> {
  static constexpr DataType type{DataKind::complex, 2 * sizeof(Part), element_traits<Part>::type.format};
};

/// An integer in the low bits of a byte. The other bits are ignored when it is read, and repeat the sign when it is
/// made from a number.
template <NumberFormat Format, bool Signed>
requires(Format == NumberFormat::int2 || Format == NumberFormat::int4) struct integer_bits {
  std::uint8_t bits = 0;

  integer_bits() = default;
  /// Requires: the number fits.
  TESSERA_HOST_DEVICE explicit constexpr integer_bits(int number) : bits{static_cast<std::uint8_t>(number)} {}
  /// The number, with its sign.
  TESSERA_HOST_DEVICE constexpr operator int() const {
    constexpr int count = Format == NumberFormat::int2 ? 4 : 16;
    int const low = bits % count;
    return Signed && low >= count / 2 ? low - count : low;
  }
  friend constexpr bool operator==(integer_bits a, integer_bits b) { return int(a) == int(b); }
};
/// A signed integer from -2 to 1.
using int2_bits = integer_bits<NumberFormat::int2, true>;
/// A signed integer from -8 to 7.
using int4_bits = integer_bits<NumberFormat::int4, true>;
/// An unsigned integer from 0 to 3.
using uint2_bits = integer_bits<NumberFormat::int2, false>;
/// An unsigned integer from 0 to 15.
using uint4_bits = integer_bits<NumberFormat::int4, false>;

template <NumberFormat Format, bool Signed>
struct element_traits<integer_bits<Format, Signed>> {
  static constexpr DataType type{Signed ? DataKind::signed_integer : DataKind::unsigned_integer, 1, Format};
};

}}  // namespace tessera::v0
