// One number per dimension, without allocation: shapes, positions and strides.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include <tessera/core/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 {

/// The largest number of dimensions. NumPy 1 and TensorStore draw the line at 32 too.
inline constexpr std::size_t max_rank = 32;

template <class T>
class Dimensions;

namespace detail {

template <class D>
inline constexpr bool is_dimensions = false;
template <class T>
inline constexpr bool is_dimensions<Dimensions<T>> = true;

// Integers that are numbers, not characters or truth values.
template <class N>
concept Integer = std::integral<N> && !std::same_as<N, bool> && !std::same_as<N, char> && !std::same_as<N, char8_t> &&
                  !std::same_as<N, char16_t> && !std::same_as<N, char32_t> && !std::same_as<N, wchar_t>;

template <class R>
concept Integers = requires(R const& numbers) {
  requires Integer<std::remove_cvref_t<decltype(*std::begin(numbers))>>;
  std::end(numbers);
};

[[noreturn]] inline void refuse_number(std::int64_t found) {
  throw SelectionError{text({"found ", found, " among numbers of dimensions, expected them from 0 on"})};
}

[[noreturn]] inline void refuse_number(std::uint64_t found) {
  throw SelectionError{text({"found ", found, " among numbers with a sign, expected at most ",
                             std::numeric_limits<std::int64_t>::max()})};
}

[[noreturn, gnu::noinline]] inline void refuse_rank() {
  throw MetadataError{"more than " + std::to_string(max_rank) + " dimensions"};
}

// A number of whatever integer type. Throws: SelectionError, if T does not have it.
template <Integer T>
struct Entry {
  T number;
  template <Integer N>
  constexpr Entry(N given) : number{static_cast<T>(given)} {
    if constexpr (std::is_signed_v<N> && !std::is_signed_v<T>)
      if (given < 0) refuse_number(std::int64_t{given});
    if constexpr (std::is_unsigned_v<N> && std::is_signed_v<T> && sizeof(N) == sizeof(T))
      if (static_cast<T>(given) < 0) refuse_number(std::uint64_t{given});
  }
};

}  // namespace detail

/// Made of any integers: `{rows, columns}`, a std::vector, a std::array. Throws: SelectionError, if a number is
/// negative and must not be, or too large for a signed number. Assignment copies only the numbers that exist: chunks
/// may be tiny, and there are several of these for each chunk.
template <class T>
class Dimensions {
 public:
  constexpr Dimensions() = default;
  constexpr Dimensions(Dimensions const&) = default;
  constexpr Dimensions& operator=(Dimensions const& other) {
    rank_ = other.rank_;
    std::copy_n(other.values_, rank_, values_);
    return *this;
  }
  constexpr Dimensions(std::initializer_list<detail::Entry<T>> values) {
    for (auto value : values) push_back(value.number);
  }
  template <class R>
  requires(!detail::is_dimensions<R> && detail::Integers<R>) constexpr Dimensions(R const& values) {
    for (auto const& value : values) push_back(detail::Entry<T>{value}.number);
  }
  static constexpr Dimensions filled(std::size_t rank, T value) {
    Dimensions result{};  // braces: nvcc warns without
    while (result.rank_ < rank) result.push_back(value);
    return result;
  }

  constexpr std::size_t rank() const { return rank_; }
  constexpr T& operator[](std::size_t d) { return values_[d]; }
  constexpr T const& operator[](std::size_t d) const { return values_[d]; }
  constexpr T const* begin() const { return values_; }
  constexpr T const* end() const { return values_ + rank_; }
  constexpr void push_back(T value) {
    if (rank_ == max_rank) detail::refuse_rank();
    values_[rank_++] = value;
  }
  friend constexpr bool operator==(Dimensions const& a, Dimensions const& b) {
    if (a.rank_ != b.rank_) return false;
    for (std::size_t d = 0; d < a.rank_; ++d)
      if (a[d] != b[d]) return false;
    return true;
  }
  /// `std::cout << array.shape()`: as to_string. Of any stream, so that this includes none.
  template <class Stream>
  friend auto operator<<(Stream& to, Dimensions const& values) -> decltype(to << std::string{}) {
    return to << to_string(values);
  }

 private:
  std::size_t rank_ = 0;
  T values_[max_rank]{};
};

using Extents = Dimensions<std::uint64_t>;
using Strides = Dimensions<std::int64_t>;

/// Throws: MetadataError naming `what`, on overflow.
inline std::uint64_t element_count(Extents const& shape, std::string_view what) {
  std::uint64_t count = 1;
  for (auto n : shape)
    if (n == 0) return 0;
  for (auto n : shape) count = checked_product(count, n, what);
  return count;
}

/// "[197, 233, 189]"
template <class T>
std::string to_string(Dimensions<T> const& values) {
  std::string text = "[";
  for (auto value : values) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

}}  // namespace tessera::v0
