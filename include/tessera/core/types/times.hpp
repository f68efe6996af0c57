// Moments and durations, as in NumPy: "numpy.datetime64" and "numpy.timedelta64" (zarr-extensions). Types of <chrono>
// serve if the unit is a fixed number of seconds.
#pragma once
#include <chrono>
#include <concepts>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 {

/// A moment in any unit and scale, months and years included: a count from the beginning of 1970.
template <TimeUnit Unit, std::uint32_t Scale = 1>
struct datetime64 {
  std::int64_t count = 0;
  friend auto operator<=>(datetime64, datetime64) = default;
};
/// A duration in any unit and scale: a count of them.
template <TimeUnit Unit, std::uint32_t Scale = 1>
struct timedelta64 {
  std::int64_t count = 0;
  friend auto operator<=>(timedelta64, timedelta64) = default;
};

template <TimeUnit Unit, std::uint32_t Scale>
struct element_traits<datetime64<Unit, Scale>> {
  static constexpr DataType type{DataKind::datetime, 8, NumberFormat::usual, Unit, Scale};
};
template <TimeUnit Unit, std::uint32_t Scale>
struct element_traits<timedelta64<Unit, Scale>> {
  static constexpr DataType type{DataKind::timedelta, 8, NumberFormat::usual, Unit, Scale};
};

namespace detail {

// The largest unit of which the period is a whole multiple, as in NumPy: 10 ns, and 1 m for 60 s.
template <class Period>
consteval DataType time_of(DataKind kind) {
  DataType type{kind, 8};
  type.scale = 0;
  auto const try_unit = [&]<class Unit>(TimeUnit unit, Unit) {
    using Count = std::ratio_divide<Period, Unit>;
    if constexpr (Count::den == 1 && Count::num <= std::numeric_limits<std::int32_t>::max())
      if (type.scale == 0) {
        type.unit = unit;
        type.scale = static_cast<std::uint32_t>(Count::num);
      }
  };
  if constexpr (std::ratio_greater_equal_v<Period, std::nano>) {  // below, quotients would overflow
    try_unit(TimeUnit::week, std::ratio<604800>{});
    try_unit(TimeUnit::day, std::ratio<86400>{});
    try_unit(TimeUnit::hour, std::ratio<3600>{});
    try_unit(TimeUnit::minute, std::ratio<60>{});
    try_unit(TimeUnit::second, std::ratio<1>{});
    try_unit(TimeUnit::millisecond, std::milli{});
    try_unit(TimeUnit::microsecond, std::micro{});
    try_unit(TimeUnit::nanosecond, std::nano{});
  } else {
    try_unit(TimeUnit::picosecond, std::pico{});
    try_unit(TimeUnit::femtosecond, std::femto{});
    try_unit(TimeUnit::attosecond, std::atto{});
  }
  return type;
}

template <class Rep>
concept TimeCount = std::signed_integral<Rep> && sizeof(Rep) == 8;

}  // namespace detail

/// A duration: `std::chrono::milliseconds` is "numpy.timedelta64" of unit "ms". The least number is NaT.
template <detail::TimeCount Rep, class Period>
requires(detail::time_of<Period>(DataKind::timedelta).scale != 0)  //
    struct element_traits<std::chrono::duration<Rep, Period>> {
  static constexpr DataType type = detail::time_of<Period>(DataKind::timedelta);
};
/// A moment: `std::chrono::sys_time<std::chrono::nanoseconds>` is "numpy.datetime64" of unit "ns".
template <detail::TimeCount Rep, class Period>
requires(detail::time_of<Period>(DataKind::datetime).scale != 0)  //
    struct element_traits<std::chrono::time_point<std::chrono::system_clock, std::chrono::duration<Rep, Period>>> {
  static constexpr DataType type = detail::time_of<Period>(DataKind::datetime);
};

/// NaT, "not a time", of any of these types: `nat<std::chrono::milliseconds>`. It compares as the least time.
template <class T>
requires(element_traits<T>::type.kind == DataKind::datetime || element_traits<T>::type.kind == DataKind::timedelta)  //
    inline constexpr T nat = [] {
  if constexpr (requires { T::min(); })
    return T::min();
  else
    return T{std::numeric_limits<std::int64_t>::min()};
}();
/// Whether a time is NaT.
template <class T>
constexpr bool is_nat(T time) {
  return time == nat<T>;
}

}}  // namespace tessera::v0
