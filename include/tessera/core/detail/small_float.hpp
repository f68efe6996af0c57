// SmallFloat: decoding of floating-point numbers of 16 bits and less (IEEE 754; zarr-extensions, data-types).
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/number_format.hpp>

namespace tessera { inline namespace v0 { namespace detail {

struct SmallFloat {
  enum class Special : std::uint8_t {
    infinite,         ///< the largest exponent encodes infinity and NaN, as in IEEE 754
    all_ones,         ///< NaN has all bits set except the sign; no infinity
    negative_zero,    ///< the bits of -0 are NaN; no infinity
    none,             ///< no NaN, no infinity
    exponents_alone,  ///< powers of two, without sign and zero; NaN has all bits set
  };
  int exponent_bits, mantissa_bits, bias;
  Special special = Special::infinite;

  TESSERA_HOST_DEVICE constexpr std::uint32_t sign() const {
    return special == Special::exponents_alone ? 0 : std::uint32_t{1} << (exponent_bits + mantissa_bits);
  }
  TESSERA_HOST_DEVICE constexpr std::uint32_t infinity() const {
    return ((std::uint32_t{1} << exponent_bits) - 1) << mantissa_bits;
  }
  constexpr bool has_infinity() const { return special == Special::infinite; }
  constexpr bool has_nan() const { return special != Special::none; }
  TESSERA_HOST_DEVICE constexpr std::uint32_t nan() const {
    switch (special) {
      case Special::infinite:
        return infinity() | std::uint32_t{1} << (mantissa_bits - 1);
      case Special::negative_zero:
        return sign();
      default:
        return (std::uint32_t{1} << (exponent_bits + mantissa_bits)) - 1;
    }
  }
  /// The bits of the largest number.
  TESSERA_HOST_DEVICE constexpr std::uint32_t largest() const {
    if (special == Special::infinite) return infinity() - 1;
    bool const is_last = special == Special::negative_zero || special == Special::none;
    return (std::uint32_t{1} << (exponent_bits + mantissa_bits)) - (is_last ? 1 : 2);
  }
  TESSERA_HOST_DEVICE constexpr bool is_nan(std::uint32_t bits) const {
    if (special == Special::none) return false;
    if (special == Special::negative_zero) return bits == nan();
    return special == Special::infinite ? (bits & (sign() - 1)) > infinity() : (bits & ~sign()) == nan();
  }
  TESSERA_HOST_DEVICE constexpr bool is_infinite(std::uint32_t bits) const {
    return special == Special::infinite && (bits & (sign() - 1)) == infinity();
  }
  /// The number of these bits, exactly. Requires: it is not NaN or infinite.
  TESSERA_HOST_DEVICE constexpr double value(std::uint32_t bits) const {
    auto const exponent = static_cast<int>(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
    auto const fraction = static_cast<double>(bits & ((1u << mantissa_bits) - 1));
    bool const is_normal = exponent > 0 || special == Special::exponents_alone;
    auto const one = static_cast<double>(std::uint32_t{1} << mantissa_bits);
    auto const magnitude =
        (is_normal ? one + fraction : fraction) * power((is_normal ? exponent : 1) - bias - mantissa_bits);
    return bits & sign() ? -magnitude : magnitude;
  }
  /// 2^exponent. Requires: it is a normal double.
  TESSERA_HOST_DEVICE static constexpr double power(int exponent) {
    return __builtin_bit_cast(double, static_cast<std::uint64_t>(exponent + 1023) << 52);
  }
};

/// The layout of a floating-point format; `usual` is half precision.
TESSERA_HOST_DEVICE constexpr SmallFloat small_float(NumberFormat format) {
  using Special = SmallFloat::Special;
  switch (format) {
    case NumberFormat::bfloat16:
      return {8, 7, 127};
    case NumberFormat::float8_e3m4:
      return {3, 4, 3};
    case NumberFormat::float8_e4m3:
      return {4, 3, 7};
    case NumberFormat::float8_e4m3b11fnuz:
      return {4, 3, 11, Special::negative_zero};
    case NumberFormat::float8_e4m3fn:
      return {4, 3, 7, Special::all_ones};
    case NumberFormat::float8_e4m3fnuz:
      return {4, 3, 8, Special::negative_zero};
    case NumberFormat::float8_e5m2:
      return {5, 2, 15};
    case NumberFormat::float8_e5m2fnuz:
      return {5, 2, 16, Special::negative_zero};
    case NumberFormat::float8_e8m0fnu:
      return {8, 0, 127, Special::exponents_alone};
    case NumberFormat::float6_e2m3fn:
      return {2, 3, 1, Special::none};
    case NumberFormat::float6_e3m2fn:
      return {3, 2, 3, Special::none};
    case NumberFormat::float4_e2m1fn:
      return {2, 1, 1, Special::none};
    default:
      return {5, 10, 15};
  }
}

}}}  // namespace tessera::v0::detail
