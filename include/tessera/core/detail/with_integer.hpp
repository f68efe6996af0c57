// with_integer: calls a function with the C++ integer type of a data type.
#pragma once
#include <cstdint>

#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Calls f with a value of the integer type `type`.
template <class F>
decltype(auto) with_integer(DataType type, F&& f) {
  bool const is_signed = type.kind == DataKind::signed_integer;
  switch (type.size) {
    case 1:
      return is_signed ? f(std::int8_t{}) : f(std::uint8_t{});
    case 2:
      return is_signed ? f(std::int16_t{}) : f(std::uint16_t{});
    case 4:
      return is_signed ? f(std::int32_t{}) : f(std::uint32_t{});
    default:
      return is_signed ? f(std::int64_t{}) : f(std::uint64_t{});
  }
}

}}}  // namespace tessera::v0::detail
