// TimeUnit: the units of NumPy's times (zarr-extensions, "numpy.datetime64").
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace tessera { inline namespace v0 {

/// What a datetime64 or timedelta64 counts.
enum class TimeUnit : std::uint8_t {
  generic,  ///< no unit: a bare count
  /// A count of these; years and months are those of the calendar.
  year,
  month,
  week,
  day,
  hour,
  minute,
  second,
  millisecond,
  microsecond,
  nanosecond,
  picosecond,
  femtosecond,
  attosecond,
};

namespace detail {

inline constexpr std::string_view time_unit_names[] = {"generic", "Y",  "M",  "W",  "D",  "h",  "m",
                                                       "s",       "ms", "us", "ns", "ps", "fs", "as"};

constexpr std::string_view unit_name(TimeUnit unit) { return time_unit_names[static_cast<std::size_t>(unit)]; }

constexpr std::optional<TimeUnit> time_unit_named(std::string_view name) {
  if (name == "\u03bcs") return TimeUnit::microsecond;
  for (std::size_t i = 0; i < std::size(time_unit_names); ++i)
    if (time_unit_names[i] == name) return static_cast<TimeUnit>(i);
  return std::nullopt;
}

}}}  // namespace tessera::v0::detail
