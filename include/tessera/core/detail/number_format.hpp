// NumberFormat: tells apart number types of the same kind and size: bfloat16, floating-point formats of 8 bits and
// less, and integers of 2 and 4 bits (zarr-extensions, data-types).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera { inline namespace v0 {

enum class NumberFormat : std::uint8_t {
  usual,  ///< IEEE 754 of this size, or an integer of all bits
  int2,   ///< a signed or unsigned integer of 2 bits, in the low bits of a byte
  int4,
  bfloat16,
  float8_e3m4,
  float8_e4m3,
  float8_e4m3b11fnuz,
  float8_e4m3fn,
  float8_e4m3fnuz,
  float8_e5m2,
  float8_e5m2fnuz,
  float8_e8m0fnu,
  float6_e2m3fn,
  float6_e3m2fn,
  float4_e2m1fn,
};

namespace detail {

// Names of the floating-point formats, in enum order from `first_small_float` on.
inline constexpr std::string_view small_float_names[] = {
    "bfloat16",    "float8_e3m4",     "float8_e4m3",    "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
    "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn",      "float6_e3m2fn", "float4_e2m1fn"};
inline constexpr auto first_small_float = NumberFormat::bfloat16;

constexpr std::string_view format_name(NumberFormat format) {
  return small_float_names[static_cast<std::size_t>(format) - static_cast<std::size_t>(first_small_float)];
}
constexpr std::uint32_t size_of(NumberFormat format) { return format == NumberFormat::bfloat16 ? 2 : 1; }

}}}  // namespace tessera::v0::detail
