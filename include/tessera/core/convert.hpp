// Numbers of one type as those of another.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/data_type.hpp>
#include <tessera/core/decimal.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/float16.hpp>
#include <tessera/core/text.hpp>

namespace tessera::inline v0 {

/// A number does not fit the type that it shall have.
struct ConversionError : detail::Located<ConversionError> {
  using Located::Located;
};

/// What becomes of a number that does not fit: an error, or the nearest number that there is, and 0 for NaN.
enum class OutOfRange : std::uint8_t { refuse, saturate };

/// How the numbers of an array and those of a program correspond: a number of the program is
/// `scale * number of the array + offset`, worked out in double and rounded once: to the nearest, of two to the even
/// one. With a scale of 1 and an offset of 0 nothing is worked out: an integer stays what it is.
struct Conversion {
  double scale = 1, offset = 0;
  OutOfRange out_of_range = OutOfRange::refuse;
};

/// Integers of 8 to 64 bits, float16, float and double.
template <class T>
concept ConvertibleElement = Element<T> &&
    ((std::is_arithmetic_v<T> && !std::same_as<T, bool>) || std::same_as<T, float16>);

namespace detail {

template <class T>
inline constexpr bool is_fraction = std::is_floating_point_v<T> || std::same_as<T, float16>;

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

// To the nearest integer, as the processor rounds sums; from 2^52 on there is nothing else.
inline double rounded(double number) {
  constexpr double large = 0x1p52;
  if (number >= 0) return number < large ? (number + large) - large : number;
  return number > -large ? (number - large) + large : number;
}

// A number as a To. `fits` becomes false where it does not: then it is the nearest.
template <class To, class From>
To number_as(From from, bool& fits) {
  using Limits = std::numeric_limits<To>;
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
    bool const is_far = size >= rounded_to_infinity<To> && size <= std::numeric_limits<double>::max();
    fits &= !is_far;
    return is_far ? (given < 0 ? Limits::lowest() : Limits::max()) : static_cast<To>(from);
  } else if constexpr (std::integral<From>) {
    if (std::in_range<To>(from)) return static_cast<To>(from);
    fits = false;
    return std::cmp_less(from, 0) ? Limits::lowest() : Limits::max();
  } else {
    auto const whole = rounded(static_cast<double>(from));
    bool const is_below = whole < lowest_of<To>, is_beyond = whole >= beyond_of<To>, is_none = whole != whole;
    fits &= !(is_below | is_beyond | is_none);
    if constexpr (sizeof(To) < 8) {  // both bounds are doubles: no jumps, so that several are converted at once
      auto const near = is_below ? lowest_of<To> : is_beyond ? beyond_of<To> - 1 : is_none ? 0 : whole;
      return static_cast<To>(static_cast<std::conditional_t<(sizeof(To) < 4), std::int32_t, std::int64_t>>(near));
    } else {
      return is_below ? Limits::lowest() : is_beyond ? Limits::max() : is_none ? To{} : static_cast<To>(whole);
    }
  }
}

// What was worked out of a number that was given: of a finite one that is not finite any more has no place either.
template <class To>
To worked_out_as(double number, double given, bool& fits) {
  if constexpr (is_fraction<To>) {
    if (number - number != 0 && given - given == 0) {
      fits = false;
      return number != number ? To{} : number > 0 ? std::numeric_limits<To>::max() : std::numeric_limits<To>::lowest();
    }
  }
  return number_as<To>(number, fits);
}

/// Numbers of an array as those of a program.
template <class To, class From>
struct ToProgram {
  double scale = 1, offset = 0;
  bool is_same() const { return scale == 1 && offset == 0; }
  template <bool Same>
  To apply(From from, bool& fits) const {
    if constexpr (Same) return number_as<To>(from, fits);
    auto const given = static_cast<double>(from);
    return worked_out_as<To>(given * scale + offset, given, fits);
  }
};
/// And the other way round.
template <class To, class From>
struct ToArray {
  double scale = 1, offset = 0;
  bool is_same() const { return scale == 1 && offset == 0; }
  template <bool Same>
  To apply(From from, bool& fits) const {
    if constexpr (Same) return number_as<To>(from, fits);
    auto const given = static_cast<double>(from);
    return worked_out_as<To>((given - offset) / scale, given, fits);
  }
};

template <class T, bool Swapped>
T load_number(std::byte const* from) {
  T number;
  if constexpr (Swapped) {
    std::byte bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes[i] = from[sizeof(T) - 1 - i];
    std::memcpy(&number, bytes, sizeof(T));
  } else {
    std::memcpy(&number, from, sizeof(T));
  }
  return number;
}

template <bool Same, bool Swapped, class To, class From, template <class, class> class Way>
bool convert_each(std::byte const* from, std::byte* to, std::size_t count, Way<To, From> const& way) {
  bool fits = true;
  for (std::size_t i = 0; i < count; ++i) {
    To const number = way.template apply<Same>(load_number<From, Swapped>(from + i * sizeof(From)), fits);
    std::memcpy(to + i * sizeof(To), &number, sizeof(To));
  }
  return fits;
}

/// Converts numbers that lie one after the other. Returns whether all of them fit.
template <class To, class From, template <class, class> class Way>
bool convert(std::byte const* from, std::byte* to, std::size_t count, bool swapped, Way<To, From> const& way) {
  if (way.is_same())
    return swapped ? convert_each<true, true>(from, to, count, way) : convert_each<true, false>(from, to, count, way);
  return swapped ? convert_each<false, true>(from, to, count, way) : convert_each<false, false>(from, to, count, way);
}

template <class T>
std::string number_text(T number) {
  if constexpr (is_fraction<T>)
    return shortest_decimal(static_cast<double>(number));
  else
    return std::to_string(number);
}

/// Throws: ConversionError naming the first number that does not fit; `place(i)` says where the i-th is.
template <class To, class From, template <class, class> class Way, class Place>
void expect_all_fit(From const* numbers, std::size_t count, Way<To, From> const& way, Place&& place) {
  for (std::size_t i = 0; i < count; ++i) {
    bool fits = true;
    (void)(way.is_same() ? way.template apply<true>(numbers[i], fits) : way.template apply<false>(numbers[i], fits));
    if (fits) continue;
    throw ConversionError{text({"element ", place(i), " of the selection is ", number_text(numbers[i]), ", which ",
                                way.is_same() ? "" : "with scale and offset ", "does not fit in ",
                                data_type_of<To>().name(), "; OutOfRange::saturate takes the nearest number"})};
  }
}

}  // namespace detail
}  // namespace tessera::inline v0
