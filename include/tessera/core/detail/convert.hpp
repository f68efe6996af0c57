// ToProgram and ToArray: the conversion of single numbers, in the mode that costs least.
#pragma once
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/conversion.hpp>
#include <tessera/core/detail/decimal.hpp>
#include <tessera/core/detail/missing.hpp>
#include <tessera/core/detail/number_as.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/float16.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Modes of a conversion. is_same: scale and offset are not applied. is_checked: some numbers may not fit.
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

/// Converts an array's numbers to the program's.
template <class Program, class T>
struct ToProgram {
  using To = Program;
  using From = T;
  static constexpr bool swaps_first = true;  ///< swap byte order before conversion, not after
  static constexpr bool may_miss = is_fraction<Program>;  ///< whether NaN exists for missing numbers
  double scale = 1, offset = 0;
  MissingOf<T> missing{};
  TESSERA_HOST_DEVICE double work_out(double number) const { return rounded_product(number, scale) + offset; }
  TESSERA_HOST_DEVICE bool is_missing(T number) const { return missing.has(number); }
  TESSERA_HOST_DEVICE Program none() const {
    constexpr double nan = no_number;
    return static_cast<Program>(nan);
  }
};
/// Converts the program's numbers to the array's.
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

/// Converts one number that is not missing.
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

/// Converts one number. A missing number always fits.
template <class Mode, class Way>
TESSERA_HOST_DEVICE typename Way::To converted(Way const& way, typename Way::From from, bool& fits) {
  if constexpr (Way::may_miss)
    if (way.missing.is_any && way.is_missing(from)) return way.none();
  return converted_known<Mode>(way, from, fits);
}

TESSERA_DECL ConversionError has_no_nan(DataType type);

[[noreturn]] TESSERA_DECL void refuse_scales_by_index();

/// That of one index of the dimension.
TESSERA_DECL Conversion conversion_of(Conversion const& all, std::size_t index);
/// Throws: ConversionError, if an array of that shape has not as many indices as there are scales or offsets.
TESSERA_DECL void expect_scales_for(ScaleByIndex const& by_index, Extents const& shape);

/// A ToProgram or ToArray. Throws: ConversionError, if numbers may be missing and are read as a type without NaN, or
/// indices have scales of their own.
template <class Way>
Way way_of(Conversion const& conversion) {
  if (conversion.by_index.is_given()) refuse_scales_by_index();
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

/// Calls f(Mode{}). Conversion is monotonic: if both ends of a type fit, all of it fits. Infinities and NaN fit every
/// floating-point type.
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

/// The error for a number that does not fit; `place`: which element it is, as "[3, 4] of the selection".
TESSERA_DECL ConversionError does_not_fit(std::string const& number, bool is_same, DataType type,
                                          std::string const& place);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/convert.ipp>
#endif
