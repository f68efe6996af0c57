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
#include <tessera/core/number_as.hpp>
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

inline ConversionError has_no_nan(DataType type) {
  return ConversionError{text({"missing numbers are NaN to the program, which ", type.name(),
                               " does not have: read them as float, double or float16"})};
}

/// How numbers are read, or written. Throws: ConversionError, if they could be missing, and what they are read as has
/// no number for that.
template <class Way>
Way way_of(Conversion const& conversion) {
  Way way{conversion.scale, conversion.offset};
  if constexpr (Way::may_miss)
    way.missing = conversion.missing.template of<decltype(way.missing.first)>();
  else if (Way::swaps_first && conversion.missing.size() > 0)
    throw has_no_nan(data_type_of<typename Way::To>());
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

template <class T>
std::string number_text(T number) {
  if constexpr (is_fraction<T>)
    return shortest_decimal(static_cast<double>(number));
  else
    return std::to_string(number);
}

/// Says that a number does not fit; `place` says where it is.
inline ConversionError does_not_fit(std::string const& number, bool is_same, DataType type, std::string const& place) {
  return ConversionError{
      text({"element ", place, " of the selection is ", number, ", which ", is_same ? "" : "with scale and offset ",
            "does not fit in ", type.name(), "; OutOfRange::saturate takes the nearest number"})};
}

}  // namespace detail
}}  // namespace tessera::v0
