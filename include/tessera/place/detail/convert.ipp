#pragma once
#include <tessera/place/detail/convert.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/detail/any_conversion.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/plane.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL ConvertedCopy::ConvertedCopy(AnyConversion const& conversion, PlacementForm const& form)
    : conversion_{conversion},
      given_{conversion.from_size, conversion.swaps_first ? form.swapped : 1, {}, {}, {}},
      made_{conversion.to_size, conversion.swaps_first ? 1 : form.swapped, {}, {}, {}} {}

TESSERA_DECL void ConvertedCopy::operator()(std::byte* to, std::byte const* from, Axis column, Axis row,
                                            PlacementForm const&) {
  bool const is_there = row.from == from_size_ && given_.swapped == 1,
             is_dense = row.to == to_size_ && made_.swapped == 1;
  if (is_there && is_dense) {
    for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from) convert(to, from, row.count);
    return;
  }
  // As wide as a row, or as high as a cache line in the source's order.
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

TESSERA_DECL void ConvertedCopy::operator()(std::byte* to, std::byte const* from, std::span<OffsetPair const> pairs,
                                            PlacementForm const&) {
  constexpr std::size_t together = 256;
  OffsetPair dense[together];
  Tile tile;
  while (!pairs.empty()) {
    auto const some = pairs.first(std::min(pairs.size(), together));
    pairs = pairs.subspan(some.size());
    for (std::size_t i = 0; i < some.size(); ++i) dense[i] = {some[i].from, static_cast<std::int64_t>(i) * from_size_};
    gather_pairs_(tile.given, from, {dense, some.size()}, given_);
    convert(tile.made, tile.given, some.size());
    for (std::size_t i = 0; i < some.size(); ++i) dense[i] = {static_cast<std::int64_t>(i) * to_size_, some[i].to};
    scatter_pairs_(to, tile.made, {dense, some.size()}, made_);
  }
}

TESSERA_DECL void ConvertedCopy::copy_tile(std::byte* to, std::byte const* from, Axis const& column, Axis const& row,
                                           bool is_there, bool is_dense, Tile& tile) {
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

}}}  // namespace tessera::v0::detail
