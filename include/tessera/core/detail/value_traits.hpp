// Which types, beside Value's own alternatives, convert to and from a Value.
#pragma once
#include <concepts>
#include <iterator>
#include <type_traits>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

template <class T>
struct value_traits;  // core/value.hpp

namespace detail {

template <class T>
concept HasValueTraits = requires {
  sizeof(value_traits<T>);
};

template <class T>
inline constexpr bool is_character = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
                                     std::same_as<T, char16_t> || std::same_as<T, char32_t>;
template <class T>
inline constexpr bool is_number = std::floating_point<T> || (std::integral<T> && !std::same_as<T, bool> &&
                                                             !is_character<T> && sizeof(T) <= sizeof(long long));

// A class that represents a number: +x is a float, as in core/float16.hpp.
template <class T>
concept IsHalf = std::is_class_v<T> && requires(T const& number) {
  { +number } -> std::same_as<float>;
};

// Excludes a path, which is a range of paths.
template <class T>
concept ValueRange = requires(T const& range) {
  std::begin(range);
  std::end(range);
  requires !std::same_as<std::remove_cvref_t<decltype(*std::begin(range))>, T>;
};

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

}  // namespace detail
}}  // namespace tessera::v0
