// AnyConversion: type-erased conversions, so that code that moves numbers is compiled once for all types.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include <tessera/core/detail/conversion.hpp>
#include <tessera/core/detail/convert.hpp>

namespace tessera { inline namespace v0 { namespace detail {

class AnyConversion {
 public:
  std::size_t const from_size, to_size;  ///< bytes of a number before and after conversion
  bool const swaps_first;                ///< swap byte order before conversion, not after
  bool const fits_always;

  /// Converts contiguous numbers. Returns whether all fit.
  bool convert(std::byte* to, std::byte const* from, std::uint64_t count) const;
  /// The index of the first of `count` aligned numbers that does not fit, or `count`.
  virtual std::size_t first_misfit(std::byte const* numbers, std::size_t count) const = 0;
  /// As does_not_fit.
  virtual ConversionError misfit(std::byte const* number, std::string const& place) const = 0;

 protected:
  using Convert = bool (*)(AnyConversion const& self, std::byte* __restrict to, std::byte const* __restrict from,
                           std::size_t count);
  AnyConversion(std::size_t from, std::size_t to, bool swaps, bool fits, Convert how)
      : from_size{from}, to_size{to}, swaps_first{swaps}, fits_always{fits}, convert_{how} {}
  AnyConversion(AnyConversion const&) = default;
  ~AnyConversion() = default;

 private:
  Convert const convert_;
};

template <class Way>
class ConversionOf final : public AnyConversion {
  using From = typename Way::From;
  using To = typename Way::To;

 public:
  explicit ConversionOf(Way const& way) : ConversionOf{way, choose(way)} {}
  Way const& way() const { return way_; }

  std::size_t first_misfit(std::byte const* numbers, std::size_t count) const override {
    if (fits_always) return count;
    bool const is_same = detail::is_same(way_);
    bool fits = true;
    for (std::size_t i = 0; i < count; ++i) {
      auto const number = number_at(numbers, i);
      (void)(is_same ? converted<AsItIs>(way_, number, fits) : converted<WorkedOut>(way_, number, fits));
      if (!fits) return i;
    }
    return count;
  }
  ConversionError misfit(std::byte const* number, std::string const& place) const override {
    return does_not_fit(number_text(number_at(number, 0)), detail::is_same(way_), data_type_of<To>(), place);
  }

 private:
  struct Choice {
    Convert convert;
    bool fits_always;
  };
  static Choice choose(Way const& way) {
    return with_mode(way, [](auto mode) -> Choice { return {convert<decltype(mode)>, !decltype(mode)::is_checked}; });
  }
  ConversionOf(Way const& way, Choice const& choice)
      : AnyConversion{sizeof(From), sizeof(To), Way::swaps_first, choice.fits_always, choice.convert}, way_{way} {}

  static From number_at(std::byte const* numbers, std::size_t i) {
    From number;
    std::memcpy(&number, numbers + i * sizeof(From), sizeof(From));
    return number;
  }

  template <class Mode>
  static bool convert(AnyConversion const& self, std::byte* __restrict to, std::byte const* __restrict from,
                      std::size_t count) {
    auto const way = static_cast<ConversionOf const&>(self).way_;  // a copy: writes to `to` cannot alias it
    if constexpr (Way::may_miss)
      if (way.missing.is_any) return convert_some<Mode>(to, from, count, way);
    if constexpr (Mode::is_checked && std::is_floating_point_v<To> && is_fraction<From>)
      if (convert_finite<Mode>(to, from, count, way)) return true;
    bool fits = true;
    auto const one = [&](std::size_t i) {
      To const result = converted_known<Mode>(way, number_at(from, i), fits);
      std::memcpy(to + i * sizeof(To), &result, sizeof(To));
    };
    constexpr std::size_t turn = 16;  // a constant count lets the compiler vectorise
    if (count < turn) {
      for (std::size_t i = 0; i < count; ++i) one(i);
      return fits;
    }
    for (;;) {
      for (std::size_t i = 0; i < turn; ++i) one(i);
      if (count == turn) return fits;
      // The last turn begins within the one before: one by one, the rest of a short row would take most of the time.
      auto const step = std::min(count - turn, turn);
      from += step * sizeof(From), to += step * sizeof(To), count -= step;
    }
  }

  // Converts numbers that may be missing. Returns whether the others fit.
  template <class Mode>
  static bool convert_some(std::byte* __restrict to, std::byte const* __restrict from, std::size_t count,
                           Way const& way) {
    bool fits = true;
    for (std::size_t i = 0; i < count; ++i) {
      auto const result = converted<Mode>(way, number_at(from, i), fits);
      std::memcpy(to + i * sizeof result, &result, sizeof result);
    }
    return fits;
  }

  // Converts floating-point numbers without branches. Returns false if a result is not finite: then the caller must
  // check each number.
  template <class Mode>
  static bool convert_finite(std::byte* __restrict to, std::byte const* __restrict from, std::size_t count,
                             Way const& way) {
    using Word = std::conditional_t<sizeof(To) == 4, std::uint32_t, std::uint64_t>;
    constexpr Word fraction = (Word{1} << (std::numeric_limits<To>::digits - 1)) - 1, least = fraction + 1;
    constexpr Word exponent = static_cast<Word>(~fraction) >> 1 & static_cast<Word>(~fraction);
    Word together = 0;  // top bit: set by the carry out of an exponent of all ones
    for (std::size_t i = 0; i < count; ++i) {
      auto const given = static_cast<double>(number_at(from, i));
      auto const result = static_cast<To>(Mode::is_same ? given : way.work_out(given));
      together |= (__builtin_bit_cast(Word, result) & exponent) + least;
      std::memcpy(to + i * sizeof(To), &result, sizeof(To));
    }
    return together >> (8 * sizeof(Word) - 1) == 0;
  }

  Way const way_;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/any_conversion.ipp>
#endif
