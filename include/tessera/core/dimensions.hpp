// Dimensions: one number per dimension, without allocation, for shapes, positions and strides.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

/// The most dimensions that an array can have.
inline constexpr std::size_t max_rank = bounds::dimensions;

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

[[noreturn]] TESSERA_DECL void refuse_number(std::int64_t found);

[[noreturn]] TESSERA_DECL void refuse_number(std::uint64_t found);

[[noreturn]] void refuse_rank();

// A number of any integer type. Throws: SelectionError, if T cannot represent it.
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
/// negative for an unsigned T, or too large for a signed T. Assignment copies only rank() numbers: chunks may be tiny,
/// and each has several Dimensions.
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
  /// The same value for each of `rank` dimensions. Requires: rank <= max_rank.
  static constexpr Dimensions filled(std::size_t rank, T value) {
    Dimensions result{};  // nvcc warns without braces
    while (result.rank_ < rank) result.push_back(value);
    return result;
  }

  constexpr std::size_t rank() const { return rank_; }
  /// The value of dimension d. Requires: d < rank().
  constexpr T& operator[](std::size_t d) { return values_[d]; }
  constexpr T const& operator[](std::size_t d) const { return values_[d]; }
  constexpr T const* begin() const { return values_; }
  constexpr T const* end() const { return values_ + rank_; }
  /// Adds a dimension after the others. Throws: MetadataError, if there are max_rank already.
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
  /// `std::cout << array.shape()`: like to_string. A template, so that this header includes no stream.
  template <class Stream>
  friend auto operator<<(Stream& to, Dimensions const& values) -> decltype(to << std::string{}) {
    return to << to_string(values);
  }

 private:
  std::size_t rank_ = 0;
  T values_[max_rank]{};
};

/// Lengths or positions along each dimension.
using Extents = Dimensions<std::uint64_t>;
/// Distances along each dimension, which may be negative or zero.
using Strides = Dimensions<std::int64_t>;

/// Throws: MetadataError naming `what`, on overflow.
TESSERA_DECL std::uint64_t element_count(Extents const& shape, std::string_view what);

/// The product of the shape, or the largest 64-bit number on overflow.
TESSERA_DECL std::uint64_t count_or_most(Extents const& shape);

/// "[197, 233, 189]"
template <class T>
std::string to_string(Dimensions<T> const& values) {
  std::string text = "[";
  for (auto value : values) text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/dimensions.ipp>
#endif
