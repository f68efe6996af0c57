// CastNumbers: converts numbers to another type. Mapped numbers come first; others are rounded, then checked for range.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/detail/exact_number.hpp>
#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/detail/bounds.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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
