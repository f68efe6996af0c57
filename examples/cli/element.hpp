// Elements whose type is known at run time.
#pragma once
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include <tessera/core/data_type.hpp>
#include <tessera/core/value.hpp>

namespace cli {

/// Calls f(std::type_identity<T>{}) with the type that elements have in memory. A boolean is a byte here: bytes from a
/// file may be neither 0 nor 1.
template <class F>
decltype(auto) visit_type(tessera::DataType type, F&& f) {
  switch (type.kind) {
    case tessera::DataKind::signed_integer:
      if (type.size == 1) return f(std::type_identity<std::int8_t>{});
      if (type.size == 2) return f(std::type_identity<std::int16_t>{});
      if (type.size == 4) return f(std::type_identity<std::int32_t>{});
      return f(std::type_identity<std::int64_t>{});
    case tessera::DataKind::unsigned_integer:
      if (type.size == 2) return f(std::type_identity<std::uint16_t>{});
      if (type.size == 4) return f(std::type_identity<std::uint32_t>{});
      if (type.size == 8) return f(std::type_identity<std::uint64_t>{});
      break;
    case tessera::DataKind::floating:
      if (type.size == 4) return f(std::type_identity<float>{});
      return f(std::type_identity<double>{});
    case tessera::DataKind::boolean:
      break;
  }
  return f(std::type_identity<std::uint8_t>{});
}

/// The shortest text that reads back as the same number.
template <class T>
std::string number_text(T number) {
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, number).ptr};
}

/// One element as a document says it: 7, true, 0.5, "NaN".
inline tessera::Value element_value(std::byte const* element, tessera::DataType type) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) -> tessera::Value {
    T number;
    std::memcpy(&number, element, sizeof number);
    if (type.kind == tessera::DataKind::boolean) return number != T{};
    if constexpr (std::floating_point<T>) {
      if (std::isnan(number)) return "NaN";
      if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
    }
    return tessera::Number{number_text(number)};
  });
}

}  // namespace cli
