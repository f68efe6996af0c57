// Copying elements that are numbers of another type on the other side: a block of them at a time, so that what is
// between reading and writing stays in the first cache.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/any_conversion.hpp>
#include <tessera/place/copy_elements.hpp>
#include <tessera/place/copy_listed.hpp>
#include <tessera/place/listed.hpp>
#include <tessera/place/non_temporal.hpp>
#include <tessera/place/placement.hpp>
#include <tessera/place/plane.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Copies planes and pairs of numbers, each converted; the other byte order is the array's. Not past the cache: with
/// the work of converting beside it that took longer.
class ConvertedCopy {
  static constexpr std::uint64_t block = 2048;  // numbers
  struct Tile {
    alignas(cache_line) std::byte given[block * sizeof(std::uint64_t)];
    alignas(cache_line) std::byte made[block * sizeof(std::uint64_t)];
  };

 public:
  /// `form`: that of the placements.
  ConvertedCopy(AnyConversion const& conversion, PlacementForm const& form)
      : conversion_{conversion},
        given_{conversion.from_size, conversion.swaps_first ? form.swapped : 1, {}, {}, {}},
        made_{conversion.to_size, conversion.swaps_first ? 1 : form.swapped, {}, {}, {}} {}
  bool fits() const { return fits_; }

  /// As a CopyPlane.
  void operator()(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const&) {
    bool const is_there = row.from == from_size_ && given_.swapped == 1,
               is_dense = row.to == to_size_ && made_.swapped == 1;
    if (is_there && is_dense) {
      for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from)
        convert(to, from, row.count);
      return;
    }
    // As wide as a row is long, or as high as a line of the cache is in the source's order.
    auto const width = std::min(row.count, goes_along_rows(column, row) ? block : block / 32), height = block / width;
    Tile tile;
    for (std::uint64_t c = 0; c < column.count; c += height)
      for (std::uint64_t r = 0; r < row.count; r += width) {
        auto const at = static_cast<std::int64_t>(c), first = static_cast<std::int64_t>(r);
        copy_tile(to + at * column.to + first * row.to, from + at * column.from + first * row.from,
                  {std::min(height, column.count - c), column.from, column.to},
                  {std::min(width, row.count - r), row.from, row.to}, is_there, is_dense, tile);
      }
  }

  /// As CopyPairs.
  void operator()(std::byte* to, std::byte const* from, std::span<OffsetPair const> pairs, PlacementForm const&) {
    constexpr std::size_t together = 256;
    OffsetPair dense[together];
    Tile tile;
    while (!pairs.empty()) {
      auto const some = pairs.first(std::min(pairs.size(), together));
      pairs = pairs.subspan(some.size());
      for (std::size_t i = 0; i < some.size(); ++i)
        dense[i] = {some[i].from, static_cast<std::int64_t>(i) * from_size_};
      gather_pairs_(tile.given, from, {dense, some.size()}, given_);
      convert(tile.made, tile.given, some.size());
      for (std::size_t i = 0; i < some.size(); ++i) dense[i] = {static_cast<std::int64_t>(i) * to_size_, some[i].to};
      scatter_pairs_(to, tile.made, {dense, some.size()}, made_);
    }
  }

 private:
  void convert(std::byte* to, std::byte const* from, std::uint64_t count) {
    fits_ &= conversion_.convert(to, from, count);
  }

  // First all that is read, in the order of the destination; then converted, into it or to be copied there.
  void copy_tile(std::byte* to, std::byte const* from, Axis const& column, Axis const& row, bool is_there,
                 bool is_dense, Tile& tile) {
    auto const n = static_cast<std::int64_t>(row.count);
    if (!is_there)
      gather_(tile.given, from, {column.count, column.from, n * from_size_}, {row.count, row.from, from_size_}, given_);
    auto const* given = is_there ? from : tile.given;
    auto const stride = is_there ? column.from : n * from_size_;
    if (is_dense) {
      for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, given += stride) convert(to, given, row.count);
      return;
    }
    auto* made = tile.made;
    for (std::uint64_t c = 0; c < column.count; ++c, made += n * to_size_, given += stride)
      convert(made, given, row.count);
    scatter_(to, tile.made, {column.count, n * to_size_, column.to}, {row.count, to_size_, row.to}, made_);
  }

  AnyConversion const& conversion_;
  PlacementForm given_, made_;
  CopyPlane gather_{element_copier(given_)}, scatter_{element_copier(made_)};
  CopyPairs gather_pairs_{pair_copier(given_)}, scatter_pairs_{pair_copier(made_)};
  std::int64_t from_size_{static_cast<std::int64_t>(conversion_.from_size)},
      to_size_{static_cast<std::int64_t>(conversion_.to_size)};
  bool fits_ = true;
};
}}}  // namespace tessera::v0::detail
