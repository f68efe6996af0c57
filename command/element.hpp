// Elements whose type is known at run time, as numbers of C++.
#pragma once
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <tessera/core/data_type.hpp>

#include "failure.hpp"

namespace cli {

/// The half-precision number with these bits.
inline float half_to_float(std::uint16_t bits) {
  auto const exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  auto const magnitude = exponent == 0x1f ? (fraction == 0 ? std::numeric_limits<float>::infinity()
                                                           : std::numeric_limits<float>::quiet_NaN())
                         : exponent == 0  ? std::ldexp(static_cast<float>(fraction), -24)
                                          : std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

/// Calls f with the elements as a span of numbers: of bytes for bools, and of float for float16.
/// Throws: UsageError, if they are complex or raw.
template <class F>
decltype(auto) with_numbers(std::span<std::byte const> bytes, tessera::DataType type, F&& f) {
  auto const as = [&]<class T>(T) {
    return f(std::span{reinterpret_cast<T const*>(bytes.data()), bytes.size() / sizeof(T)});
  };
  auto const name = type.name();
  if (type.format != tessera::NumberFormat::usual) type.kind = tessera::DataKind::raw;  // no greys
  switch (type.kind) {
    case tessera::DataKind::signed_integer:
      if (type.size == 1) return as(std::int8_t{});
      if (type.size == 2) return as(std::int16_t{});
      if (type.size == 4) return as(std::int32_t{});
      return as(std::int64_t{});
    case tessera::DataKind::unsigned_integer:
      if (type.size == 1) return as(std::uint8_t{});
      if (type.size == 2) return as(std::uint16_t{});
      if (type.size == 4) return as(std::uint32_t{});
      return as(std::uint64_t{});
    case tessera::DataKind::floating: {
      if (type.size == 4) return as(float{});
      if (type.size == 8) return as(double{});
      std::vector<float> numbers;
      for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
        std::uint16_t bits;
        std::memcpy(&bits, bytes.data() + i, sizeof bits);
        numbers.push_back(half_to_float(bits));
      }
      return f(std::span<float const>{numbers});
    }
    case tessera::DataKind::boolean:
      return as(std::uint8_t{});
    case tessera::DataKind::complex:
    case tessera::DataKind::raw:
    case tessera::DataKind::datetime:
    case tessera::DataKind::timedelta:
    case tessera::DataKind::utf32:
    case tessera::DataKind::null_terminated:
    case tessera::DataKind::structure:
    case tessera::DataKind::string:
    case tessera::DataKind::bytes:
      break;
  }
  throw UsageError{"elements of " + name + " have no greys; bool, integers and real numbers have"};
}

/// The shortest text that reads back as the same number.
template <class T>
std::string number_text(T number) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

}  // namespace cli
