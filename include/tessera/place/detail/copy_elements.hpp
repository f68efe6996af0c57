// copy_elements: copies planes of elements of any size along rows, in tiles or transposed, swapped or not.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tessera/core/config.hpp>
#include <tessera/place/detail/copy_tiles.hpp>
#include <tessera/place/detail/non_temporal.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/plane.hpp>
#include <tessera/place/detail/tile.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Transposes a square of one cache line per side, through a buffer in the first-level cache: each line of either side
// is accessed once, even if strides make lines evict each other.
template <class Word, bool Swap>
void transpose_lines(std::byte* to, std::int64_t column_to, std::byte const* from, std::int64_t row_from) {
  constexpr std::uint64_t n = lanes<Word>, item = sizeof(Word), count = cache_line / item;
  alignas(cache_line) std::byte rows[count * cache_line];
  for (std::uint64_t r = 0; r < count; ++r, from += row_from) std::memcpy(rows + r * cache_line, from, cache_line);
  for (std::uint64_t c = 0; c < count; c += n, to += static_cast<std::int64_t>(n) * column_to)
    for (std::uint64_t r = 0; r < count; r += n)
      transpose_square<Word, Swap>(to + r * item, column_to, rows + r * cache_line + c * item, cache_line);
}

// For small words, with contiguous columns in the source and rows in the destination: squares of vectors, as many at
// once as fill a cache line on both sides. The ends are copied word by word.
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
      if (row.from != dense || row.to != dense)  // checked here because rows are short
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
TESSERA_DECL void copy_any_elements(std::byte* to, std::byte const* from, Axis column, Axis row,
                                    PlacementForm const& form);

template <class Word, std::size_t Words = 1>
CopyPlane element_copier(bool swaps) {
  return swaps ? copy_elements<Word, Words, true> : copy_elements<Word, Words, false>;
}

TESSERA_DECL CopyPlane element_copier(PlacementForm const& form);

// Bypasses the cache: gathers a tile in cached memory, then writes whole lines. Rows without gaps need no tile, and
// rows shorter than a line gain nothing. Tiles of large elements advance along columns, others along rows, which was
// faster (docs/performance.md, "Placing").
TESSERA_DECL void copy_elements_past_cache(std::byte* to, std::byte const* from, Axis column, Axis row,
                                     PlacementForm const& form);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/copy_elements.ipp>
#endif
