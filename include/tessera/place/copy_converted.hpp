// Copying elements that are numbers of another type on the other side: a block of them at a time, so that what is
// between reading and writing stays in the first cache.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

#include <tessera/core/convert.hpp>
#include <tessera/place/copy_elements.hpp>
#include <tessera/place/listed.hpp>
#include <tessera/place/non_temporal.hpp>
#include <tessera/place/placement.hpp>
#include <tessera/place/plane.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class T>
using WordOf = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// Fractions that lie one after the other, without jumps. False: some are not finite, as what does not fit is; whoever
/// asks looks closer.
template <class Mode, class Way>
bool convert_finite(std::byte* __restrict to, std::byte const* __restrict from, std::size_t count, Way const& way) {
  using From = typename Way::From;
  using To = typename Way::To;
  using Word = WordOf<To>;
  constexpr Word fraction = (Word{1} << (std::numeric_limits<To>::digits - 1)) - 1, least = fraction + 1;
  constexpr Word exponent = static_cast<Word>(~fraction) >> 1 & static_cast<Word>(~fraction);
  Word together = 0;  // its highest bit: that of an exponent of nothing but ones, and one more
  for (std::size_t i = 0; i < count; ++i) {
    From number;
    std::memcpy(&number, from + i * sizeof(From), sizeof(From));
    auto const given = static_cast<double>(number);
    auto const result = static_cast<To>(Mode::is_same ? given : way.work_out(given));
    together |= (__builtin_bit_cast(Word, result) & exponent) + least;
    std::memcpy(to + i * sizeof(To), &result, sizeof(To));
  }
  return together >> (8 * sizeof(Word) - 1) == 0;
}

/// Numbers of which some may be missing. Returns whether the others fit.
template <class Mode, class Way>
[[gnu::noinline]] bool convert_some(std::byte* __restrict to, std::byte const* __restrict from, std::size_t count,
                                    Way const& given) {
  auto const way = given;
  bool fits = true;
  for (std::size_t i = 0; i < count; ++i) {
    typename Way::From number;
    std::memcpy(&number, from + i * sizeof number, sizeof number);
    auto const result = converted<Mode>(way, number, fits);
    std::memcpy(to + i * sizeof result, &result, sizeof result);
  }
  return fits;
}

/// Numbers that lie one after the other. Returns whether all of them fit.
template <class Mode, class Way>
[[gnu::noinline]] bool convert_dense(std::byte* __restrict to, std::byte const* __restrict from, std::size_t count,
                                     Way const& given) {
  using From = typename Way::From;
  using To = typename Way::To;
  if constexpr (Way::may_miss)
    if (given.missing.is_any) return convert_some<Mode>(to, from, count, given);
  auto const way = given;  // of which nothing that is written is part
  if constexpr (Mode::is_checked && std::is_floating_point_v<To> && is_fraction<From>)
    if (convert_finite<Mode>(to, from, count, way)) return true;
  bool fits = true;
  auto const one = [&](std::size_t i) {
    From number;
    std::memcpy(&number, from + i * sizeof(From), sizeof(From));
    To const result = converted_known<Mode>(way, number, fits);
    std::memcpy(to + i * sizeof(To), &result, sizeof(To));
  };
  constexpr std::size_t turn = 16;  // so many that the compiler knows, lest it take them one by one
  for (; count >= turn; count -= turn, from += turn * sizeof(From), to += turn * sizeof(To))
    for (std::size_t i = 0; i < turn; ++i) one(i);
  for (std::size_t i = 0; i < count; ++i) one(i);
  return fits;
}

/// Copies planes and pairs of numbers, each converted; the other byte order is the array's. Not past the cache: with
/// the work of converting beside it that took longer.
template <class Mode, class Way>
class ConvertedCopy {
  using From = typename Way::From;
  using To = typename Way::To;
  static constexpr std::uint64_t block = 2048;  // numbers
  static constexpr auto from_size = static_cast<std::int64_t>(sizeof(From)),
                        to_size = static_cast<std::int64_t>(sizeof(To));
  struct Room {
    alignas(cache_line) std::byte given[block * sizeof(From)];
    alignas(cache_line) std::byte made[block * sizeof(To)];
  };

 public:
  explicit ConvertedCopy(Way const& way) : way_{way} {}
  bool fits() const { return fits_; }

  /// As a CopyPlane.
  void operator()(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const& form) {
    bool const swaps = form.swapped != 1, is_dense = row.to == to_size && !(swaps && !Way::swaps_first);
    if (is_dense && row.from == from_size && !(swaps && Way::swaps_first)) {
      for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from)
        convert(to, from, row.count);
      return;
    }
    // As wide as a row is long, or as high as a line of the cache is in the source's order.
    auto const width = std::min(row.count, goes_along_rows(column, row) ? block : block / 32), height = block / width;
    Room destination;
    for (std::uint64_t c = 0; c < column.count; c += height)
      for (std::uint64_t r = 0; r < row.count; r += width) {
        auto const at = static_cast<std::int64_t>(c), first = static_cast<std::int64_t>(r);
        copy_tile(to + at * column.to + first * row.to, from + at * column.from + first * row.from,
                  {std::min(height, column.count - c), column.from, column.to},
                  {std::min(width, row.count - r), row.from, row.to}, swaps, is_dense, destination);
      }
  }

  /// As CopyPairs.
  void operator()(std::byte* to, std::byte const* from, std::span<OffsetPair const> pairs, PlacementForm const& form) {
    bool const swaps = form.swapped != 1;
    constexpr auto together = static_cast<std::size_t>(block);
    Room destination;
    while (!pairs.empty()) {
      auto const some = pairs.first(std::min(pairs.size(), together));
      pairs = pairs.subspan(some.size());
      auto* next = destination.given;
      for (auto const& pair : some)
        copy_one<From>(next, from + pair.from, swaps && Way::swaps_first), next += from_size;
      convert(destination.made, destination.given, some.size());
      auto const* result = destination.made;
      for (auto const& pair : some) copy_one<To>(to + pair.to, result, swaps && !Way::swaps_first), result += to_size;
    }
  }

 private:
  void convert(std::byte* to, std::byte const* from, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; i += block)
      fits_ &= convert_dense<Mode>(to + i * sizeof(To), from + i * sizeof(From),
                                   static_cast<std::size_t>(std::min(block, count - i)), way_);
  }
  template <class T>
  static void copy_one(std::byte* to, std::byte const* from, bool swaps) {
    if (swaps)
      copy_element<WordOf<T>, 1, true>(to, from);
    else
      copy_element<WordOf<T>, 1, false>(to, from);
  }
  template <class T>
  static void copy_all(std::byte* to, std::byte const* from, Axis const& column, Axis const& row, bool swaps) {
    PlacementForm const form{sizeof(T), 1, {}, {}, {}, false};
    if (swaps)
      copy_elements<WordOf<T>, 1, true>(to, from, column, row, form);
    else
      copy_elements<WordOf<T>, 1, false>(to, from, column, row, form);
  }

  // First all that is read, in the order of the destination; then converted, into it or to be copied there.
  void copy_tile(std::byte* to, std::byte const* from, Axis const& column, Axis const& row, bool swaps, bool is_dense,
                 Room& destination) {
    auto const n = static_cast<std::int64_t>(row.count);
    bool const is_there = row.from == from_size && !(swaps && Way::swaps_first);  // as it is converted
    if (!is_there)
      copy_all<From>(destination.given, from, {column.count, column.from, n * from_size},
                     {row.count, row.from, from_size}, swaps && Way::swaps_first);
    auto const* given = is_there ? from : destination.given;
    auto const stride = is_there ? column.from : n * from_size;
    if (is_dense) {
      for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, given += stride) convert(to, given, row.count);
      return;
    }
    auto* made = destination.made;
    for (std::uint64_t c = 0; c < column.count; ++c, made += n * to_size, given += stride)
      convert(made, given, row.count);
    copy_all<To>(to, destination.made, {column.count, n * to_size, column.to}, {row.count, to_size, row.to},
                 swaps && !Way::swaps_first);
  }

  Way way_;
  bool fits_ = true;
};

}}}  // namespace tessera::v0::detail
