// What many programs ask of the numbers that they read. Sums are in a type that is wide enough for them: that of
// std::accumulate is the type of its first argument.
#pragma once
#include <concepts>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class T>
using SumOf = std::conditional_t<!std::integral<T>, double,
                                 std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <class Range>
using NumberOf = std::remove_cvref_t<decltype(*std::begin(std::declval<Range&>()))>;

template <class T>
consteval bool check_summed() {
  static_assert(std::is_convertible_v<T, double>, "tessera: sum, mean and minmax are of ranges of numbers");
  return std::is_convertible_v<T, double>;
}

// The sum, and how many there are.
template <class S, class Range>
std::pair<S, std::uint64_t> summed(Range& range) {
  std::pair<S, std::uint64_t> sum{};
  if constexpr (check_summed<NumberOf<Range>>())
    for (auto const& number : range) {
      sum.first += static_cast<S>(number);
      ++sum.second;
    }
  return sum;
}

}  // namespace detail

/// Of the numbers of a range, such as an array that was read: of integers a 64-bit integer, which a sum of signed ones
/// must fit in; of others a double.
template <class Range>
auto sum(Range&& range) {
  return detail::summed<detail::SumOf<detail::NumberOf<Range>>>(range).first;
}

/// As a double; NaN of none.
template <class Range>
double mean(Range&& range) {
  auto const [sum, count] = detail::summed<double>(range);
  return count == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(count);
}

/// The least and the greatest number, or NaN twice if there is one among them, as numpy.min and numpy.max have it.
/// Throws: SelectionError, if there are none.
template <class Range>
auto minmax(Range&& range) {
  using T = detail::NumberOf<Range>;
  if constexpr (!detail::check_summed<T>()) {
    return std::pair<T, T>{};
  } else {
    auto at = std::begin(range);
    auto const end = std::end(range);
    if (at == end) throw SelectionError{"the least and the greatest of no numbers"};
    std::pair<T, T> found{*at, *at};
    for (; at != end; ++at) {
      T const number = *at;
      if (number != number) return std::pair<T, T>{number, number};
      if (number < found.first) found.first = number;
      if (found.second < number) found.second = number;
    }
    return found;
  }
}

}}  // namespace tessera::v0
