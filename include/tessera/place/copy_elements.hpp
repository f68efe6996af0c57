// Planes of elements of any size: along rows, in tiles or transposed, swapped on the way or not.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tessera/place/copy_tiles.hpp>
#include <tessera/place/non_temporal.hpp>
#include <tessera/place/placement.hpp>
#include <tessera/place/plane.hpp>
#include <tessera/place/tile.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// As many columns as rows, each a line of the cache: by way of memory that the first cache holds. So each line of
// either side is met once, though the strides are such that they displace each other.
template <class Word, bool Swap>
void transpose_lines(std::byte* to, std::int64_t column_to, std::byte const* from, std::int64_t row_from) {
  constexpr std::uint64_t n = lanes<Word>, item = sizeof(Word), count = cache_line / item;
  alignas(cache_line) std::byte rows[count * cache_line];
  for (std::uint64_t r = 0; r < count; ++r, from += row_from) std::memcpy(rows + r * cache_line, from, cache_line);
  for (std::uint64_t c = 0; c < count; c += n, to += static_cast<std::int64_t>(n) * column_to)
    for (std::uint64_t r = 0; r < count; r += n)
      transpose_square<Word, Swap>(to + r * item, column_to, rows + r * cache_line + c * item, cache_line);
}

// Columns next to each other in the source, rows in the destination, of small words: squares of vectors, as many in
// turn as make a line of the cache on both sides. What is less than a square at the ends goes word by word.
template <class Word, bool Swap>
void transpose(std::byte* to, std::byte const* from, Axis column, Axis row) {
  constexpr std::uint64_t n = lanes<Word>, line = cache_line / sizeof(Word);
  auto const place = [](std::uint64_t c, std::int64_t column_stride, std::uint64_t r, std::int64_t row_stride) {
    return static_cast<std::int64_t>(c) * column_stride + static_cast<std::int64_t>(r) * row_stride;
  };
  auto const columns = column.count / n * n, rows = row.count / n * n;
  for (std::uint64_t c = 0; c < columns; c += line)
    for (std::uint64_t r = 0; r < rows; r += line) {
      auto const wide = std::min(c + line, columns), high = std::min(r + line, rows);
      if (wide - c == line && high - r == line) {
        transpose_lines<Word, Swap>(to + place(c, column.to, r, row.to), column.to,
                                    from + place(c, column.from, r, row.from), row.from);
        continue;
      }
      for (auto i = c; i < wide; i += n)
        for (auto j = r; j < high; j += n)
          transpose_square<Word, Swap>(to + place(i, column.to, j, row.to), column.to,
                                       from + place(i, column.from, j, row.from), row.from);
    }
  copy_tiles<Word, 1, Swap>(to + place(0, 0, rows, row.to), from + place(0, 0, rows, row.from),
                            {columns, column.from, column.to}, {row.count - rows, row.from, row.to});
  copy_tiles<Word, 1, Swap>(to + place(columns, column.to, 0, 0), from + place(columns, column.from, 0, 0),
                            {column.count - columns, column.from, column.to}, row);
}

template <class Word, std::size_t Words, bool Swap>
void copy_elements(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const& form) {
  constexpr auto dense = static_cast<std::int64_t>(sizeof(Word) * Words);
  if (goes_along_rows(column, row)) {
    bool const non_temporal = form.non_temporal && begin_lines(to, column.to) &&
                            are_worth_passing_cache(to, column.to, row.count * sizeof(Word) * Words);
    for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from)
      if (row.from != dense || row.to != dense)  // asked here: rows are short
        copy_row<Word, Words, Swap>(to, from, row);
      else if (non_temporal)
        copy_dense_row<Word, Swap, true>(to, from, row.count * Words);
      else
        copy_dense_row<Word, Swap, false>(to, from, row.count * Words);
    return;
  }
  if constexpr (dense <= 4)
    if (column.from == dense && row.to == dense) return transpose<Word, Swap>(to, from, column, row);
  copy_tiles<Word, Words, Swap>(to, from, column, row);
}

// Elements of any size, swapped part by part.
inline void copy_any_elements(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const& form) {
  for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from) {
    auto* one = to;
    auto const* other = from;
    for (std::uint64_t r = 0; r < row.count; ++r, one += row.to, other += row.from)
      for (std::size_t part = 0; part < form.item_size; part += form.swapped)
        std::reverse_copy(other + part, other + part + form.swapped, one + part);
  }
}

template <class Word, std::size_t Words = 1>
CopyPlane element_copier(bool swaps) {
  return swaps ? copy_elements<Word, Words, true> : copy_elements<Word, Words, false>;
}

inline CopyPlane element_copier(PlacementForm const& form) {
  auto const size = form.item_size;
  bool const swaps = form.swapped != 1;
  if (swaps && form.swapped * 2 == size) {  // complex numbers: each part on its own
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

// Past the cache: tile by tile in memory that it holds, and from there in whole lines. Rows without gaps need no tile,
// and those shorter than a line would go through it for nothing. Tiles of large elements follow each other along the
// columns, of others along the rows: so it was faster (docs/performance.md, "Placing").
inline void copy_elements_past_cache(std::byte* to, std::byte const* from, Axis column, Axis row,
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
