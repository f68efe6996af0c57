// Option: a member of an options struct.
#pragma once
#include <concepts>
#include <type_traits>
#include <utility>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

/// A value, and whether the program gave it. A call's given options override those of its handle, so a given `false`,
/// `0` or null counts: `{.store_fill_chunks = false}`. An option that was not given reads as the default of the type.
template <class T>
class Option {
 public:
  constexpr Option() = default;
  constexpr Option(T given) requires(!std::same_as<T, bool>) : value_(std::move(given)), is_given_{true} {}
  template <class U>  // a bool only from a bool, as pointers convert to true; other T also from types that convert to T
  requires(std::same_as<T, bool> ? std::same_as<std::remove_cvref_t<U>, bool>
                                 : std::is_class_v<T> && std::convertible_to<U, T> &&
                                       !std::same_as<std::remove_cvref_t<U>, Option>) constexpr Option(U&& given)
      : value_(std::forward<U>(given)), is_given_{true} {}

  constexpr operator T const&() const { return value_; }  ///< the value, or the default
  constexpr T const& value() const { return value_; }
  constexpr bool is_given() const { return is_given_; }  ///< whether the program gave a value

 private:
  T value_{};
  bool is_given_ = false;
};

}}  // namespace tessera::v0
