// What tells numbers of one kind and size apart, where IEEE 754 or two's complement of all bits do not: bfloat16, the
// formats of eight bits and less, integers of two and four bits (zarr-extensions, data-types).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera { inline namespace v0 {

enum class NumberFormat : std::uint8_t {
  usual,  ///< IEEE 754's of that size; an integer of all bits
  int2,   ///< an integer of two bits, signed or not, in the low bits of a byte
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

// Names of floating-point formats, in their order, from `first_small_float` on.
inline constexpr std::string_view small_float_names[] = {
    "bfloat16",    "float8_e3m4",     "float8_e4m3",    "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
    "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float6_e2m3fn",      "float6_e3m2fn", "float4_e2m1fn"};
inline constexpr auto first_small_float = NumberFormat::bfloat16;

constexpr std::string_view format_name(NumberFormat format) {
  return small_float_names[static_cast<std::size_t>(format) - static_cast<std::size_t>(first_small_float)];
}
constexpr std::uint32_t size_of(NumberFormat format) { return format == NumberFormat::bfloat16 ? 2 : 1; }

}}}  // namespace tessera::v0::detail
