// sum, mean and minmax of a range of numbers. Sums use a type that is wide enough, unlike std::accumulate, which uses
// the type of its first argument.
#pragma once
#include <charconv>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/detail/decimal.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class T>
using SumOf =
    std::conditional_t<!std::integral<T>, double, std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class Range>
concept Iterable = requires(Range& range) {
  std::begin(range);
  std::end(range);
};

template <class Range>
struct number_of : std::type_identity<int> {};
template <Iterable Range>
struct number_of<Range> : std::type_identity<std::remove_cvref_t<decltype(*std::begin(std::declval<Range&>()))>> {};
template <class Range>
using NumberOf = typename number_of<Range>::type;

template <class Range>
consteval bool check_summed() {
  constexpr bool is_range = Iterable<Range>, is_range_unless_const = Iterable<std::remove_const_t<Range>>;
  static_assert(is_range || !is_range_unless_const,
                "tessera: a const view such as std::views::filter cannot be iterated: write 'auto numbers = ...', not "
                "'auto const'");
  static_assert(is_range || is_range_unless_const,
                "tessera: sum, mean and minmax need a range of numbers that the host can access");
  constexpr bool are_numbers = std::is_convertible_v<NumberOf<Range>, double>;
  static_assert(are_numbers,
                "tessera: sum, mean and minmax need a range of numbers; for an array of any type, "
                "'visit<RealTypes>(array, f)' calls f if its elements are numbers");
  return is_range && are_numbers;
}

// The fewest digits that identify the half: as a float it would have more.
template <class Half>
char* digits_of_half(char* first, char* last, Half number) {
  double shown{static_cast<float>(number)};
  for (int precision = 1; precision < 6; ++precision) {  // a half has five digits at most
    auto const end = std::to_chars(first, last, static_cast<float>(number), std::chars_format::general, precision).ptr;
    auto const rounded = parse_decimal<double>({first, end});
    if (Half{rounded} == number) {
      shown = rounded;
      break;
    }
  }
  return std::to_chars(first, last, shown).ptr;
}

// The text of a number: a type of std::to_chars, or a half.
template <class T>
std::string digits(T number) {
  if (number != number) return "nan";  // a NaN may have a sign
  char text[64];  // the longest is a long double's
  auto const end = [&] {
    if constexpr (std::is_arithmetic_v<T>)
      return std::to_chars(text, text + sizeof text, number).ptr;
    else
      return digits_of_half(text, text + sizeof text, number);
  }();
  return {text, end};
}

// The sum and the count.
template <class S, class Range>
std::pair<S, std::uint64_t> summed(Range& range) {
  std::pair<S, std::uint64_t> sum{};
  if constexpr (check_summed<Range>())
    for (auto const& number : range) {
      sum.first += static_cast<S>(number);
      ++sum.second;
    }
  return sum;
}

}  // namespace detail

/// The sum of a range of numbers, such as an array that was read. For integers it is a 64-bit integer, in which a
/// signed sum must fit; otherwise a double.
template <class Range>
auto sum(Range&& range) {
  return detail::summed<detail::SumOf<detail::NumberOf<Range>>>(range).first;
}

/// A double; NaN for an empty range.
template <class Range>
double mean(Range&& range) {
  auto const [sum, count] = detail::summed<double>(range);
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

/// The smallest number of a range, `least`, and the largest, `most`.
template <class T>
struct MinMax {
  T least, most;

  friend bool operator==(MinMax const&, MinMax const&) = default;
  /// Both numbers, each with the fewest digits that identify it in its type.
  friend std::string to_string(MinMax const& shown) {
    return detail::digits(shown.least) + ' ' + detail::digits(shown.most);
  }
  template <class Stream>
  friend auto operator<<(Stream& to, MinMax const& shown) -> decltype(to << std::string{}) {
    return to << to_string(shown);
  }
};

/// NaN twice if the range contains NaN, like numpy.min and numpy.max. Throws: SelectionError, if the range is empty.
template <class Range>
auto minmax(Range&& range) {
  using T = detail::NumberOf<Range>;
  if constexpr (!detail::check_summed<std::remove_reference_t<Range>>()) {
    return MinMax<int>{};
  } else {
    auto at = std::begin(range);
    auto const end = std::end(range);
    if (at == end) throw SelectionError{"found an empty range, expected at least one number"};
    MinMax<T> found{*at, *at};
    for (; at != end; ++at) {
      T const number = *at;
      if (number != number) return MinMax<T>{number, number};
      if (number < found.least) found.least = number;
      if (found.most < number) found.most = number;
    }
    return found;
  }
}

}}  // namespace tessera::v0
