// Missing-value markers of an array: they read as NaN.
#pragma once
#include <concepts>
#include <cstddef>
#include <limits>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/float16.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// The markers in the array's element type. `second` equals `first` if only one exists.
template <class T>
struct MissingOf {
  T first{}, second{};
  bool is_any = false;
  TESSERA_HOST_DEVICE bool has(T number) const { return number == first || number == second; }
};

}  // namespace detail

/// No marker, one or two: `{.missing = -9999}`, `{.missing = {-9999, 32767}}`.
class MissingNumbers {
  template <class N>
  static constexpr bool is_number = std::is_arithmetic_v<N> && !std::same_as<N, bool>;

 public:
  constexpr MissingNumbers() = default;
  template <class N>
  requires(is_number<N>) constexpr MissingNumbers(N number)
      : numbers_{static_cast<long double>(number)}, count_{1} {}
  template <class A, class B>
  requires(is_number<A>&& is_number<B>) constexpr MissingNumbers(A first, B second)
      : numbers_{static_cast<long double>(first), static_cast<long double>(second)}, count_{2} {}

  constexpr std::size_t size() const { return count_; }

  /// The markers that T can represent. The others cannot occur in an array of T.
  template <class T>
  constexpr detail::MissingOf<T> of() const {
    detail::MissingOf<T> found;
    for (std::size_t i = 0; i < count_; ++i) {
      if (!is_one<T>(numbers_[i])) continue;
      found.second = static_cast<T>(numbers_[i]);
      if (!found.is_any) found.first = found.second;
      found.is_any = true;
    }
    return found;
  }

 private:
  static_assert(std::numeric_limits<long double>::digits >= 64,
                "tessera: long double must represent every 64-bit integer");

  template <class T>
  static constexpr bool is_one(long double number) {
    using Limits = std::numeric_limits<T>;
    if constexpr (std::integral<T>)
      return number >= static_cast<long double>(Limits::lowest()) &&
             number <= static_cast<long double>(Limits::max()) &&
             static_cast<long double>(static_cast<T>(number)) == number;
    else  // the nearest number, as documents have decimals
      return number == number;
  }

  long double numbers_[2]{};
  std::size_t count_ = 0;
};

}}  // namespace tessera::v0
