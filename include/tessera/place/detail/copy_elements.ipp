#pragma once
#include <tessera/place/detail/copy_elements.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/place/detail/non_temporal.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/plane.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void copy_any_elements(std::byte* to, std::byte const* from, Axis column, Axis row,
                                    PlacementForm const& form) {
  for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from) {
    auto* one = to;
    auto const* other = from;
    for (std::uint64_t r = 0; r < row.count; ++r, one += row.to, other += row.from)
      for (std::size_t part = 0; part < form.item_size; part += form.swapped)
        std::reverse_copy(other + part, other + part + form.swapped, one + part);
  }
}

TESSERA_DECL CopyPlane element_copier(PlacementForm const& form) {
  auto const size = form.item_size;
  bool const swaps = form.swapped != 1;
  if (swaps && form.swapped * 2 == size) {  // complex numbers: each part separately
    if (size == 8) return copy_elements<std::uint32_t, 2, true>;
    if (size == 16) return copy_elements<std::uint64_t, 2, true>;
  } else if (!swaps || form.swapped == size) {
    if (size == 1) return copy_elements<std::uint8_t, 1, false>;
    if (size == 2) return element_copier<std::uint16_t>(swaps);
    if (size == 4) return element_copier<std::uint32_t>(swaps);
    if (size == 8) return element_copier<std::uint64_t>(swaps);
    if (size == 16 && !swaps) return copy_elements<std::uint64_t, 2, false>;
  }
  return copy_any_elements;
}

TESSERA_DECL void copy_elements_past_cache(std::byte* to, std::byte const* from, Axis column, Axis row,
                                           PlacementForm const& form) {
  constexpr std::uint64_t size = 4096;
  alignas(cache_line) std::byte tile[size];
  auto const item = form.item_size, row_size = row.count * item;
  auto const lines = (row_size + cache_line - 1) / cache_line * cache_line;
  auto const width = goes_along_rows(column, row) ? std::min(size, lines) : size / 32;
  auto const copy = element_copier(form);
  auto const dense = static_cast<std::int64_t>(item);
  if (row.from == dense || row.to != dense || row_size < cache_line || width % item != 0 || !begin_lines(to, column.to))
    return copy(to, from, column, row, form);
  auto const columns = size / width, rows = width / item;
  auto const down = (column.count + columns - 1) / columns, along = (row.count + rows - 1) / rows;
  for (std::uint64_t t = 0; t < down * along; ++t) {
    auto const c = columns * (item < 8 ? t / along : t % down), r = rows * (item < 8 ? t % along : t / down);
    auto const high = std::min(columns, column.count - c), wide = std::min(rows, row.count - r);
    auto const at = static_cast<std::int64_t>(c), first = static_cast<std::int64_t>(r);
    copy(tile, from + at * column.from + first * row.from, {high, column.from, static_cast<std::int64_t>(width)},
         {wide, row.from, row.to}, form);
    auto* one = to + at * column.to + first * row.to;
    for (std::uint64_t i = 0; i < high; ++i, one += column.to) copy_row_past_cache(one, tile + i * width, wide * item);
  }
}

}}}  // namespace tessera::v0::detail
