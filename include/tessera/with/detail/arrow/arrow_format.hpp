// Arrow's format strings for tessera's data types, and the sizes that a format string states.
#pragma once
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>
#include <tessera/with/detail/exchange_error.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c {
namespace detail {

// Arrow counts single units of these four.
inline std::optional<char> unit_letter(DataType time) {
  if (time.scale != 1) return std::nullopt;
  switch (time.unit) {
    case TimeUnit::second:
      return 's';
    case TimeUnit::millisecond:
      return 'm';
    case TimeUnit::microsecond:
      return 'u';
    case TimeUnit::nanosecond:
      return 'n';
    default:
      return std::nullopt;
  }
}

// N of "+w:N" or "w:N"; nullopt, if the format is another.
inline std::optional<std::uint64_t> size_in(std::string_view format, std::string_view prefix) {
  if (!format.starts_with(prefix)) return std::nullopt;
  std::uint64_t size = 0;
  auto const* const end = format.data() + format.size();
  auto const [stop, error] = std::from_chars(format.data() + prefix.size(), end, size);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return size;
}

}  // namespace detail

/// The format string of Arrow's C data interface for elements of a type: "f", "tsn:", "w:12". Throws: ExchangeError, if
/// Arrow has none: complex and small numbers, bfloat16, times in other units than s, ms, us and ns, structs, text.
inline std::string format_of(DataType type) {
  constexpr char integers[] = {'c', 'C', 's', 'S', 'i', 'I', 'l', 'L'};
  std::size_t const power = type.size == 1 ? 0 : type.size == 2 ? 1 : type.size == 4 ? 2 : 3;
  bool const is_usual = type.format == NumberFormat::usual;
  switch (type.kind) {
    case DataKind::boolean:
      return "b";
    case DataKind::signed_integer:
    case DataKind::unsigned_integer:
      if (is_usual) return {integers[2 * power + (type.kind == DataKind::unsigned_integer)]};
      break;
    case DataKind::floating:
      if (is_usual) return {"eefg"[power]};
      break;
    case DataKind::raw:
    case DataKind::null_terminated:
      return to_text({"w:", type.size});
    case DataKind::datetime:
      if (auto const unit = detail::unit_letter(type)) return {'t', 's', *unit, ':'};
      break;
    case DataKind::timedelta:
      if (auto const unit = detail::unit_letter(type)) return {'t', 'D', *unit};
      break;
    default:
      break;
  }
  throw ExchangeError{to_text({"Arrow has no format for elements of ", type.name()})};
}

}}}  // namespace tessera::v0::arrow_c
