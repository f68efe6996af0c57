// Numbers of one type as those of another.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/decimal.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/float16.hpp>
#include <tessera/core/missing.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 {

/// A number does not fit the type that it is converted to.
struct ConversionError : detail::Located<ConversionError> {
  using Located::Located;
};

/// What happens to a number that does not fit: `refuse` throws, `saturate` takes the nearest number of the type, and 0
/// for NaN.
enum class OutOfRange : std::uint8_t { refuse, saturate };

/// How the numbers of an array and those of a program correspond: a number of the program is
/// `scale * number of the array + offset`, worked out in double and rounded once: to the nearest, of two to the even
/// one. With a scale of 1 and an offset of 0 nothing is worked out: an integer stays what it is. A number of the array
/// that is `missing` is NaN to the program, and NaN is written as the first of them.
struct Conversion {
  double scale = 1, offset = 0;
  OutOfRange out_of_range = OutOfRange::refuse;
  MissingNumbers missing{};  ///< of the array, before they are scaled
};

/// Integers of 8 to 64 bits, float16, float and double.
template <class T>
concept ConvertibleElement = Element<T> &&
    ((std::is_arithmetic_v<T> && !std::same_as<T, bool>) || std::same_as<T, float16>);

namespace detail {

template <class T>
inline constexpr bool is_fraction = std::is_floating_point_v<T> || std::same_as<T, float16>;

// Variables, for nvcc calls none of std:: on the device.
template <std::integral T>
inline constexpr T least_of = std::numeric_limits<T>::lowest();
template <std::integral T>
inline constexpr T most_of = std::numeric_limits<T>::max();
template <class T>
inline constexpr double largest_of = static_cast<double>(std::numeric_limits<T>::max());
template <std::integral T>
inline constexpr int digits_of = std::numeric_limits<T>::digits;

// Bounds of an integer type as doubles: [lowest, beyond).
template <std::integral T>
inline constexpr double lowest_of = static_cast<double>(std::numeric_limits<T>::lowest());
template <std::integral T>
inline constexpr double beyond_of = 2.0 * static_cast<double>(std::uint64_t{1} << (std::numeric_limits<T>::digits - 1));

// What is rounded to more than the largest number: it, and half of its last digit.
template <class T>
inline constexpr double rounded_to_infinity = [] {
  using Limits = std::numeric_limits<T>;
  double half = 1;
  for (int i = 0; i < Limits::max_exponent - Limits::digits - 1; ++i) half *= 2;
  return static_cast<double>(Limits::max()) + half;
}();
inline constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
template <>
inline constexpr double rounded_to_infinity<double> = std::numeric_limits<double>::infinity();

// To the nearest integer, as the processor rounds sums; from 2^52 on there is nothing else.
TESSERA_HOST_DEVICE inline double rounded(double number) {
  constexpr double large = 0x1p52;
  if (number >= 0) return number < large ? (number + large) - large : number;
  return number > -large ? (number - large) + large : number;
}

template <class To, std::integral From>
TESSERA_HOST_DEVICE constexpr bool is_below_all(From from) {
  if constexpr (std::is_unsigned_v<From>)
    return false;
  else if constexpr (std::is_unsigned_v<To>)
    return from < 0;
  else if constexpr (sizeof(To) >= sizeof(From))
    return false;
  else
    return from < static_cast<From>(least_of<To>);
}
template <class To, std::integral From>
TESSERA_HOST_DEVICE constexpr bool is_above_all(From from) {
  if constexpr (digits_of<To> >= digits_of<From>)
    return false;
  else
    return from > static_cast<From>(most_of<To>);
}

// A number as a To. `fits` becomes false where it does not: then it is the nearest.
template <class To, class From>
TESSERA_HOST_DEVICE To number_as(From from, bool& fits) {
  if constexpr (std::same_as<To, From>) {
    return from;
  } else if constexpr (std::same_as<From, float16>) {
    return number_as<To>(static_cast<float>(from), fits);
  } else if constexpr (is_fraction<To> && std::integral<From> && !std::same_as<To, float16>) {
    return static_cast<To>(from);
  } else if constexpr (std::same_as<To, double>) {
    return from;
  } else if constexpr (is_fraction<To>) {
    auto const given = static_cast<double>(from);
    auto const size = given < 0 ? -given : given;
    bool const is_far = (size >= rounded_to_infinity<To>)&(size <= largest_of<double>);
    fits &= !is_far;
    auto const near = given < 0 ? -largest_of<To> : largest_of<To>;
    return static_cast<To>(is_far ? near : given);
  } else if constexpr (std::integral<From>) {
    constexpr To most = most_of<To>, least = least_of<To>;
    bool const is_below = is_below_all<To>(from), is_above = is_above_all<To>(from);
    fits &= !(is_below | is_above);
    return is_below ? least : is_above ? most : static_cast<To>(from);
  } else {
    constexpr To most = most_of<To>, least = least_of<To>;
    constexpr double lowest = lowest_of<To>, beyond = beyond_of<To>;
    auto const whole = rounded(static_cast<double>(from));
    bool const is_below = whole < lowest, is_beyond = whole >= beyond, is_none = whole != whole;
    fits &= !(is_below | is_beyond | is_none);
    if constexpr (sizeof(To) < 8) {  // both bounds are doubles: no jumps, so that several are converted at once
      auto const near = is_below ? lowest : is_beyond ? beyond - 1 : is_none ? 0 : whole;
      return static_cast<To>(static_cast<std::conditional_t<(sizeof(To) < 4), std::int32_t, std::int64_t>>(near));
    } else {
      return is_below ? least : is_beyond ? most : is_none ? To{} : static_cast<To>(whole);
    }
  }
}

// What was worked out of a number that was given: of a finite one that is not finite any more has no place either.
template <class To>
TESSERA_HOST_DEVICE To worked_out_as(double number, double given, bool& fits) {
  if constexpr (is_fraction<To>) {  // without jumps
    constexpr auto most = largest_of<To>;
    auto const size = number < 0 ? -number : number;
    bool const is_lost = !(size < rounded_to_infinity<To>)&(given - given == 0);
    fits &= !is_lost;
    auto const near = number > 0 ? most : number < 0 ? -most : 0;
    return static_cast<To>(is_lost ? near : number);
  } else {
    return number_as<To>(number, fits);
  }
}

// Where it is known that it fits.
template <class To, class From>
TESSERA_HOST_DEVICE To fitting_as(From from) {
  if constexpr (std::integral<To> && !std::integral<From>) {
    auto const number = static_cast<double>(from);
    if constexpr (sizeof(To) < 8) {  // without jumps
      constexpr double large = 0x1.8p52;
      using Whole = std::conditional_t<(sizeof(To) < 4), std::int32_t,
                                       std::conditional_t<std::is_signed_v<To>, To, std::int64_t>>;
      return static_cast<To>(static_cast<Whole>((number + large) - large));
    } else {
      return static_cast<To>(rounded(number));
    }
  } else {
    return static_cast<To>(from);
  }
}

// What is done with a number: nothing is worked out, or it is; and it is seen to whether it fits, where not all do.
struct AsItIs {
  static constexpr bool is_same = true, is_checked = true;
};
struct WorkedOut {
  static constexpr bool is_same = false, is_checked = true;
};
struct AsItIsFitting {
  static constexpr bool is_same = true, is_checked = false;
};
struct WorkedOutFitting {
  static constexpr bool is_same = false, is_checked = false;
};

/// Numbers of an array as those of a program.
template <class Program, class T>
struct ToProgram {
  using To = Program;
  using From = T;
  static constexpr bool swaps_first = true;  ///< the other byte order is that of what it is made of
  static constexpr bool may_miss = is_fraction<Program>;  ///< has a NaN for what is missing
  double scale = 1, offset = 0;
  MissingOf<T> missing{};
  TESSERA_HOST_DEVICE double work_out(double number) const { return rounded_product(number, scale) + offset; }
  TESSERA_HOST_DEVICE bool is_missing(T number) const { return missing.has(number); }
  TESSERA_HOST_DEVICE Program none() const {
    constexpr double nan = no_number;
    return static_cast<Program>(nan);
  }
};
/// And the other way round.
template <class T, class Program>
struct ToArray {
  using To = T;
  using From = Program;
  static constexpr bool swaps_first = false;
  static constexpr bool may_miss = is_fraction<Program>;
  double scale = 1, offset = 0;
  MissingOf<T> missing{};
  TESSERA_HOST_DEVICE double work_out(double number) const { return (number - offset) / scale; }
  TESSERA_HOST_DEVICE bool is_missing(Program number) const { return number != number; }
  TESSERA_HOST_DEVICE T none() const { return missing.first; }
};

/// One number that is not missing.
template <class Mode, class Way>
TESSERA_HOST_DEVICE typename Way::To converted_known(Way const& way, typename Way::From from, bool& fits) {
  using To = typename Way::To;
  if constexpr (Mode::is_same) {
    if constexpr (Mode::is_checked)
      return number_as<To>(from, fits);
    else
      return fitting_as<To>(from);
  } else {
    auto const given = static_cast<double>(from), number = way.work_out(given);
    if constexpr (Mode::is_checked)
      return worked_out_as<To>(number, given, fits);
    else
      return fitting_as<To>(number);
  }
}

/// One number. What is missing fits.
template <class Mode, class Way>
TESSERA_HOST_DEVICE typename Way::To converted(Way const& way, typename Way::From from, bool& fits) {
  if constexpr (Way::may_miss)
    if (way.missing.is_any && way.is_missing(from)) return way.none();
  return converted_known<Mode>(way, from, fits);
}

/// How numbers are read, or written. Throws: ConversionError, if they could be missing, and what they are read as has
/// no number for that.
template <class Way>
Way way_of(Conversion const& conversion) {
  Way way{conversion.scale, conversion.offset};
  if constexpr (Way::may_miss)
    way.missing = conversion.missing.template of<decltype(way.missing.first)>();
  else if (Way::swaps_first && conversion.missing.size() > 0)
    throw ConversionError{text({"missing numbers are NaN to the program, which ", data_type_of<typename Way::To>().name(),
                                " does not have: read them as float, double or float16"})};
  return way;
}

template <class Way>
bool is_same(Way const& way) {
  return way.scale == 1 && way.offset == 0;
}

/// Calls f(Mode{}). Numbers keep their order when they are converted: if the ends of a type fit all of it does. What is
/// infinite or no number fits where fractions do.
template <class Way, class F>
decltype(auto) with_mode(Way const& way, F&& f) {
  if constexpr (std::integral<typename Way::From> || is_fraction<typename Way::To>) {
    using Limits = std::numeric_limits<typename Way::From>;
    bool fits = true;
    auto const try_ends = [&](auto mode) {
      (void)converted_known<decltype(mode)>(way, Limits::lowest(), fits);
      (void)converted_known<decltype(mode)>(way, Limits::max(), fits);
    };
    if (is_same(way)) {
      try_ends(AsItIs{});
      if (fits) return f(AsItIsFitting{});
    } else {
      try_ends(WorkedOut{});
      if (fits) return f(WorkedOutFitting{});
    }
  }
  return is_same(way) ? f(AsItIs{}) : f(WorkedOut{});
}
/// Whether all numbers that there are fit.
template <class Way>
bool fits_always(Way const& way) {
  return with_mode(way, [](auto mode) { return !decltype(mode)::is_checked; });
}

template <class T>
std::string number_text(T number) {
  if constexpr (is_fraction<T>)
    return shortest_decimal(static_cast<double>(number));
  else
    return std::to_string(number);
}

/// Says that a number does not fit; `place` says where it is.
template <class Way>
ConversionError does_not_fit(Way const& way, typename Way::From number, std::string const& place) {
  return ConversionError{
      text({"element ", place, " of the selection is ", number_text(number), ", which ",
            is_same(way) ? "" : "with scale and offset ", "does not fit in ", data_type_of<typename Way::To>().name(),
            "; OutOfRange::saturate takes the nearest number"})};
}

/// The first number that does not fit, or count.
template <class Way>
std::size_t first_misfit(typename Way::From const* numbers, std::size_t count, Way const& way) {
  return with_mode(way, [&](auto mode) {
    using Mode = decltype(mode);
    bool fits = true;
    for (std::size_t i = 0; Mode::is_checked && i < count; ++i) {
      (void)converted<Mode>(way, numbers[i], fits);
      if (!fits) return i;
    }
    return count;
  });
}

}  // namespace detail
}}  // namespace tessera::v0
