// CastNumbers: converts numbers to another type. Mapped numbers come first; others are rounded, then checked for range.
// ExactNumber: numbers rounded exactly, with integers, so that every processor gets the same result.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/bounds.hpp>

namespace tessera { inline namespace v0 { namespace detail {

enum class Rounding : std::uint8_t { nearest_even, towards_zero, towards_positive, towards_negative, nearest_away };

/// magnitude * 2^exponent, if finite.
struct ExactNumber {
  std::uint64_t magnitude = 0;
  int exponent = 0;
  bool is_negative = false, is_finite = true;

  TESSERA_HOST_DEVICE static ExactNumber of(double number) {
    auto const bits = __builtin_bit_cast(std::uint64_t, number);
    auto const fraction = bits & (~std::uint64_t{0} >> 12);
    auto const power = static_cast<int>(bits >> 52 & 0x7ff);
    bool const is_negative = bits >> 63 != 0;
    if (power == 0x7ff) return {0, 0, is_negative, false};
    if (power == 0) return {fraction, -1074, is_negative};
    return {fraction | std::uint64_t{1} << 52, power - 1075, is_negative};
  }
  TESSERA_HOST_DEVICE static ExactNumber of(std::uint64_t integer, bool is_signed) {
    bool const is_negative = is_signed && integer >> 63 != 0;
    return {is_negative ? ~integer + 1 : integer, 0, is_negative};
  }

  /// Rounded to a multiple of 2^least.
  TESSERA_HOST_DEVICE ExactNumber rounded(int least, Rounding rounding) const {
    if (exponent >= least) return *this;
    auto const dropped = least - exponent;
    auto const kept = dropped < 64 ? magnitude >> dropped : 0;
    auto const rest = dropped < 64 ? magnitude - (kept << dropped) : magnitude;
    auto const half = dropped <= 64 ? std::uint64_t{1} << (dropped - 1) : 0;  // 0: more than any rest
    bool const is_half = half != 0 && rest == half, is_more = half != 0 && rest > half;
    bool up = false;
    switch (rounding) {
      case Rounding::nearest_even:
        up = is_more || (is_half && kept % 2 == 1);
        break;
      case Rounding::nearest_away:
        up = is_more || is_half;
        break;
      case Rounding::towards_positive:
        up = rest != 0 && !is_negative;
        break;
      case Rounding::towards_negative:
        up = rest != 0 && is_negative;
        break;
      case Rounding::towards_zero:
        break;
    }
    return {kept + up, least, is_negative};
  }

  /// The place of the highest bit. Requires: the magnitude is not 0.
  TESSERA_HOST_DEVICE int first_bit() const {
    int width = 0;
    for (int step = 32; step > 0; step /= 2)
      if (magnitude >> width >> step != 0) width += step;
    return exponent + width;
  }

  /// Requires: a double can hold it.
  TESSERA_HOST_DEVICE double number() const {
    auto const power = [](int of) { return __builtin_bit_cast(double, static_cast<std::uint64_t>(of + 1023) << 52); };
    auto const size = static_cast<double>(magnitude) * power(exponent / 2) * power(exponent - exponent / 2);
    return is_negative ? -size : size;
  }
};

/// The format of floating-point numbers of a size.
struct FractionForm {
  int digits, least, most;  ///< bits; exponents of the last bit of the smallest, and of the first bit of the largest

  TESSERA_HOST_DEVICE static FractionForm of(std::size_t size) {
    return size == 2   ? FractionForm{11, -24, 15}
           : size == 4 ? FractionForm{24, -149, 127}
                       : FractionForm{53, -1074, 1023};
  }
};

enum class OutOfType : std::uint8_t { refuse, clamp, wrap };

/// Particular conversions, which override the rules; the first matching pair applies.
struct CastMap {
  static constexpr std::size_t most = bounds::map_pairs;
  struct Pair {
    double from, to;  ///< fractions
    std::uint64_t from_integer, to_integer;
  };
  Pair pairs[most]{};
  std::size_t count = 0;

  TESSERA_HOST_DEVICE Pair const* find(double number) const {
    for (std::size_t i = 0; i < count; ++i)
      if (pairs[i].from == number || (number != number && pairs[i].from != pairs[i].from)) return &pairs[i];
    return nullptr;
  }
  TESSERA_HOST_DEVICE Pair const* find(std::uint64_t integer) const {
    for (std::size_t i = 0; i < count; ++i)
      if (pairs[i].from_integer == integer) return &pairs[i];
    return nullptr;
  }
};

struct CastNumbers {
  static constexpr bool may_refuse = true;
  DataType from, to;
  Rounding rounding;
  OutOfType out_of_range;
  CastMap map;
  std::size_t from_size = from.size, to_size = to.size;

  template <std::size_t Most>
  TESSERA_HOST_DEVICE std::size_t run(std::byte const* one, std::byte* other, std::size_t n) const {
    if (holds_integers(from)) {
      std::uint64_t numbers[Most];
      load_integers(from, one, n, numbers);
      return cast<Most>(numbers, other, n);
    }
    double numbers[Most];
    load_numbers(from, one, n, numbers);
    return cast<Most>(numbers, other, n);
  }

 private:
  TESSERA_HOST_DEVICE ExactNumber exact(double number) const { return ExactNumber::of(number); }
  TESSERA_HOST_DEVICE ExactNumber exact(std::uint64_t number) const {
    return ExactNumber::of(number, from.kind == DataKind::signed_integer);
  }

  // Stops at the first number without a result.
  template <std::size_t Most, class Number>
  TESSERA_HOST_DEVICE std::size_t cast(Number const* numbers, std::byte* other, std::size_t n) const {
    std::size_t made = 0;
    if (holds_integers(to)) {
      std::uint64_t integers[Most];
      for (; made < n; ++made)
        if (auto const* const pair = map.find(numbers[made]))
          integers[made] = pair->to_integer;
        else if (!to_integer(exact(numbers[made]), integers[made]))
          break;
      store_integers(integers, to.kind == DataKind::signed_integer, made, to, other);
    } else {
      double fractions[Most];
      for (; made < n; ++made)
        if (auto const* const pair = map.find(numbers[made]))
          fractions[made] = pair->to;
        else if (!to_fraction(exact(numbers[made]), static_cast<double>(numbers[made]), fractions[made]))
          break;
      store_numbers(fractions, made, to, other);
    }
    return made;
  }

  TESSERA_HOST_DEVICE bool to_integer(ExactNumber const& number, std::uint64_t& result) const {
    if (!number.is_finite) return false;
    auto const whole = number.rounded(0, rounding);
    auto const up = static_cast<unsigned>(whole.exponent);
    auto const magnitude = up < 64 ? whole.magnitude << up : 0;
    bool const is_beyond = whole.magnitude != 0 && (up >= 64 || magnitude >> up != whole.magnitude);
    bool const is_signed = to.kind == DataKind::signed_integer;
    auto const most = ~std::uint64_t{0} >> (64 - 8 * to.size + is_signed);
    auto const limit = !whole.is_negative ? most : is_signed ? most + 1 : 0;
    bool const fits = !is_beyond && magnitude <= limit;
    if (!fits && out_of_range == OutOfType::refuse) return false;
    auto const size = fits || out_of_range == OutOfType::wrap ? magnitude : limit;
    result = whole.is_negative ? ~size + 1 : size;
    return true;
  }

  TESSERA_HOST_DEVICE bool to_fraction(ExactNumber const& number, double given, double& result) const {
    result = given;  // exact, if NaN, infinite or zero
    if (!number.is_finite || number.magnitude == 0) return true;
    auto const form = FractionForm::of(to.size);
    auto const last = number.first_bit() - form.digits + 1;
    auto const near = number.rounded(last < form.least ? form.least : last, rounding);
    if (near.magnitude != 0 && near.first_bit() > form.most) {
      result = number.is_negative ? -infinite : infinite;
      return out_of_range == OutOfType::clamp;
    }
    result = near.number();
    return true;
  }

  static constexpr double infinite = __builtin_huge_val();
};

}}}  // namespace tessera::v0::detail
