// FlatType: a type as Arrow's IPC format writes it, a table of one of many kinds, and as a format string.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/detail/arrow_shape.hpp>
#include <tessera/core/error.hpp>
#include <tessera/with/detail/exchange_error.hpp>
#include <tessera/with/detail/flat_table.hpp>
#include <tessera/with/detail/flat_writer.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

// The numbers of Arrow's union Type that the library has (format/Schema.fbs).
enum FlatKind : std::uint8_t {
  flat_null = 1, flat_int, flat_floating, flat_binary, flat_utf8, flat_bool, flat_decimal, flat_date, flat_time,
  flat_timestamp, flat_list = 12, flat_struct, flat_fixed_binary = 15, flat_fixed_list, flat_duration = 18,
  flat_large_binary, flat_large_utf8, flat_large_list
};

struct FlatType {
  std::uint8_t kind;
  std::vector<tessera::detail::FlatNumber> numbers{};
  std::string timezone{};  ///< of timestamps, in field 1
};

inline std::uint64_t flat_integer(std::string_view text) {  // with a sign
  bool const is_negative = text.starts_with('-');
  auto const number = std::uint64_t{tessera::detail::arrow_number(text.substr(is_negative)).value_or(0)};
  return is_negative ? -number : number;
}

// Requires: arrow_shape knows the format.
inline FlatType flat_type(std::string_view format) {
  constexpr std::string_view integers = "cCsSiIlL", fractions = "efg", units = "smun";
  auto const unit = [&] { return std::uint64_t{units.find(format[2])}; };
  if (auto const at = integers.find(format); format.size() == 1 && at != integers.npos)
    return {flat_int, {{0, 4, std::uint64_t{8} << at / 2}, {1, 1, at % 2 == 0}}};
  if (auto const at = fractions.find(format); format.size() == 1 && at != fractions.npos)
    return {flat_floating, {{0, 2, at}}};
  if (format == "n") return {flat_null};
  if (format == "b") return {flat_bool};
  if (format == "u") return {flat_utf8};
  if (format == "U") return {flat_large_utf8};
  if (format == "z") return {flat_binary};
  if (format == "Z") return {flat_large_binary};
  if (format == "+l") return {flat_list};
  if (format == "+L") return {flat_large_list};
  if (format == "+s") return {flat_struct};
  if (format.starts_with("w:")) return {flat_fixed_binary, {{0, 4, flat_integer(format.substr(2))}}};
  if (format.starts_with("+w:")) return {flat_fixed_list, {{0, 4, flat_integer(format.substr(3))}}};
  if (format == "tdD" || format == "tdm") return {flat_date, {{0, 2, format == "tdm"}}};
  if (format.starts_with("tt"))
    return {flat_time, {{0, 2, unit()}, {1, 4, std::uint64_t{format[2] == 's' || format[2] == 'm' ? 32u : 64u}}}};
  if (format.starts_with("tD")) return {flat_duration, {{0, 2, unit()}}};
  if (format.starts_with("ts")) {
    std::vector<tessera::detail::FlatNumber> numbers{{0, 2, unit()}};
    if (format.size() > 4) numbers.push_back({1, 4});
    return {flat_timestamp, std::move(numbers), std::string{format.substr(4)}};
  }
  auto const comma = format.find(','), second = format.find(',', comma + 1);  // a decimal
  auto const bits = second == format.npos ? 128 : flat_integer(format.substr(second + 1));
  auto const scale = format.substr(comma + 1, second == format.npos ? second : second - comma - 1);
  return {flat_decimal, {{0, 4, flat_integer(format.substr(2, comma - 2))}, {1, 4, flat_integer(scale)}, {2, 4, bits}}};
}

// The format string; of types that the library does not have, one that arrow_name knows. Throws: ExchangeError.
inline std::string format_in(std::uint8_t kind, tessera::detail::FlatTable const& type) {
  auto const choice = [&](std::size_t field, std::int16_t otherwise, std::string_view letters) {
    auto const found = type.get<std::int16_t>(field, otherwise);
    if (found < 0 || static_cast<std::size_t>(found) >= letters.size())
      throw ExchangeError{to_text({"the schema has ", found, " in a type of kind ", int{kind}, ", expected 0 to ",
                                   letters.size() - 1})};
    return letters[static_cast<std::size_t>(found)];
  };
  auto const number = [&](std::size_t field, std::int32_t otherwise) {
    return type.get<std::int32_t>(field, otherwise);
  };
  switch (kind) {
    case flat_int: {
      auto const bits = number(0, 0);
      bool const is_signed = type.get<std::uint8_t>(1) != 0;
      std::string_view const letters = bits == 8    ? "cC"
                                       : bits == 16 ? "sS"
                                       : bits == 32 ? "iI"
                                       : bits == 64 ? "lL"
                                                    : "";
      if (letters.empty()) throw ExchangeError{to_text({"the schema has integers of ", bits, " bits"})};
      return {letters[!is_signed]};
    }
    case flat_floating:
      return {choice(0, 0, "efg")};
    case flat_decimal: {
      auto const bits = number(2, 128);
      return to_text({"d:", number(0, 0), ",", number(1, 0), bits == 128 ? "" : to_text({",", bits})});
    }
    case flat_date:
      return {'t', 'd', choice(0, 1, "Dm")};
    case flat_time: {
      std::string const format{'t', 't', choice(0, 1, "smun")};
      auto const bits = number(1, 32), expected = format[2] == 's' || format[2] == 'm' ? 32 : 64;
      if (bits != expected)
        throw ExchangeError{to_text({"the schema has times \"", format, "\" of ", bits, " bits, expected ", expected})};
      return format;
    }
    case flat_timestamp:
      return to_text({"ts", std::string{choice(0, 0, "smun")}, ":", type.string(1).value_or(std::string_view{})});
    case flat_duration:
      return {'t', 'D', choice(0, 1, "smun")};
    case flat_fixed_binary:
      return to_text({"w:", number(0, 0)});
    case flat_fixed_list:
      return to_text({"+w:", number(0, 0)});
    case 11:
      return std::string{"ti"} + choice(0, 0, "MDn");
    case 14:
      return choice(0, 0, "sd") == 's' ? "+us:" : "+ud:";
    default:
      break;
  }
  constexpr std::string_view others[] = {"", "n", "", "", "z", "u", "b", "", "", "", "", "", "+l", "+s", "", "", "",
                                         "+m", "", "Z", "U", "+L", "+r", "vz", "vu", "+vl", "+vL"};
  auto const format = kind < std::size(others) ? others[kind] : std::string_view{};
  if (format.empty()) throw ExchangeError{to_text({"the schema has a type of kind ", int{kind}, ", which is unknown"})};
  return std::string{format};
}

}}}}  // namespace tessera::v0::arrow_c::detail
