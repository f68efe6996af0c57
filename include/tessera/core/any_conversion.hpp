// Conversions whose types are not known where they are called: what moves numbers is compiled once for all of them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include <tessera/core/convert.hpp>

namespace tessera { inline namespace v0 { namespace detail {

class AnyConversion {
 public:
  std::size_t const from_size, to_size;  ///< bytes of a number, and of what it becomes
  bool const swaps_first;                ///< the other byte order is that of what is converted
  bool const fits_always;

  /// Numbers that lie one after the other. Returns whether all of them fit.
  bool convert(std::byte* to, std::byte const* from, std::uint64_t count) const {
    constexpr std::uint64_t block = 2048;  // is looked at a second time, if something does not fit
    if (count <= block) return convert_(*this, to, from, static_cast<std::size_t>(count));
    bool fits = true;
    for (std::uint64_t i = 0; i < count; i += block)
      fits &=
          convert_(*this, to + i * to_size, from + i * from_size, static_cast<std::size_t>(std::min(block, count - i)));
    return fits;
  }
  /// The first of so many numbers, aligned, that does not fit, or count.
  virtual std::size_t first_misfit(std::byte const* numbers, std::size_t count) const = 0;
  /// Says that a number does not fit; `place` says where it is.
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
    auto const way = static_cast<ConversionOf const&>(self).way_;  // of which nothing that is written is part
    if constexpr (Way::may_miss)
      if (way.missing.is_any) return convert_some<Mode>(to, from, count, way);
    if constexpr (Mode::is_checked && std::is_floating_point_v<To> && is_fraction<From>)
      if (convert_finite<Mode>(to, from, count, way)) return true;
    bool fits = true;
    auto const one = [&](std::size_t i) {
      To const result = converted_known<Mode>(way, number_at(from, i), fits);
      std::memcpy(to + i * sizeof(To), &result, sizeof(To));
    };
    constexpr std::size_t turn = 16;  // so many that the compiler knows, lest it take them one by one
    for (; count >= turn; count -= turn, from += turn * sizeof(From), to += turn * sizeof(To))
      for (std::size_t i = 0; i < turn; ++i) one(i);
    for (std::size_t i = 0; i < count; ++i) one(i);
    return fits;
  }

  // Numbers of which some may be missing. Returns whether the others fit.
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

  // Fractions, without jumps. False: some are not finite, as what does not fit is; whoever asks looks closer.
  template <class Mode>
  static bool convert_finite(std::byte* __restrict to, std::byte const* __restrict from, std::size_t count,
                             Way const& way) {
    using Word = std::conditional_t<sizeof(To) == 4, std::uint32_t, std::uint64_t>;
    constexpr Word fraction = (Word{1} << (std::numeric_limits<To>::digits - 1)) - 1, least = fraction + 1;
    constexpr Word exponent = static_cast<Word>(~fraction) >> 1 & static_cast<Word>(~fraction);
    Word together = 0;  // its highest bit: that of an exponent of nothing but ones, and one more
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
