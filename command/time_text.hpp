// Moments as NumPy prints them: "1999-12-31T23:59:59.999".
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <tessera/core/data_type.hpp>

namespace cli {
namespace detail {

// Wider than 64 bits: for a count of weeks in days, and a count of 25 years in years.
__extension__ typedef __int128 Wide;  // a typedef: that of `using` is not an extension to g++

inline std::string wide_text(Wide number, std::size_t digits) {
  bool const is_negative = number < 0;
  std::string text;
  for (auto rest = is_negative ? -number : number; rest > 0 || text.size() < digits; rest /= 10)
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
  if (is_negative) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

// Divides a number by a size: the number becomes the quotient; returns the remainder, never negative.
inline Wide take_rest(Wide& number, Wide size) {
  auto const rest = ((number % size) + size) % size;
  number = (number - rest) / size;
  return rest;
}

inline std::string year_text(Wide year) { return year < 0 ? '-' + wide_text(-year, 4) : wide_text(year, 4); }

inline std::string month_text(Wide months) {
  auto const month = take_rest(months, 12);
  return year_text(months + 1970) + '-' + wide_text(month + 1, 2);
}

// The Gregorian calendar, extended to the past: years begin in March, so that leap days are their last.
inline std::string day_text(Wide days) {
  days += 719468;                               // from 0000-03-01 on
  auto const in_era = take_rest(days, 146097);  // of 400 years
  auto const year_of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
  auto const in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  auto const month = (5 * in_year + 2) / 153, day = in_year - (153 * month + 2) / 5 + 1;
  auto const year = year_of_era + days * 400 + (month >= 10 ? 1 : 0);
  return year_text(year) + '-' + wide_text(month < 10 ? month + 3 : month - 9, 2) + '-' + wide_text(day, 2);
}

}  // namespace detail

/// The moment that is `count` times `scale` units after the beginning of 1970, as exact as its unit.
inline std::string moment_text(std::int64_t count, std::uint32_t scale, tessera::TimeUnit unit) {
  using tessera::TimeUnit;
  auto number = detail::Wide{count} * scale;
  if (unit == TimeUnit::generic) return detail::wide_text(number, 1);
  if (unit == TimeUnit::year) return detail::year_text(number + 1970);
  if (unit == TimeUnit::month) return detail::month_text(number);
  if (unit == TimeUnit::week) return detail::day_text(number * 7);
  if (unit == TimeUnit::day) return detail::day_text(number);
  std::string time;
  if (unit > TimeUnit::second) {
    auto const digits = 3 * (static_cast<std::size_t>(unit) - static_cast<std::size_t>(TimeUnit::second));
    detail::Wide size = 1;
    for (std::size_t i = 0; i < digits; ++i) size *= 10;
    time = '.' + detail::wide_text(detail::take_rest(number, size), digits);
  }
  if (unit >= TimeUnit::second) time = ':' + detail::wide_text(detail::take_rest(number, 60), 2) + time;
  if (unit >= TimeUnit::minute) time = ':' + detail::wide_text(detail::take_rest(number, 60), 2) + time;
  auto const hour = detail::take_rest(number, 24);
  return detail::day_text(number) + 'T' + detail::wide_text(hour, 2) + time;
}

}  // namespace cli
