// Two axes of a box of elements in the host's memory: rows, tiles and squares, swapped on the way or not.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <tessera/view/past_cache.hpp>
#include <tessera/view/placement.hpp>
#include <tessera/view/tile.hpp>

namespace tessera::inline v0 {
namespace detail {

struct Axis {
  std::uint64_t count;
  std::int64_t from, to;  // bytes
};

template <std::unsigned_integral W>
constexpr W byte_swapped(W w) {
  W result = 0;
  for (std::size_t i = 0; i < sizeof(W); ++i)  // compilers make one instruction of it
    result = static_cast<W>(result | static_cast<W>((w >> (8 * i)) & 0xff) << (8 * (sizeof(W) - 1 - i)));
  return result;
}

// Copies two axes of a box whose elements have that form. A function of its own for each size of element: the rest of
// placing is compiled once.
using CopyPlane = void (*)(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const& form);

// One element, of so many words that are swapped or not, each on its own.
template <class Word, std::size_t Words, bool Swap>
inline void copy_element(std::byte* to, std::byte const* from) {
  for (std::size_t i = 0; i < Words; ++i) {
    Word word;
    std::memcpy(&word, from + i * sizeof word, sizeof word);
    if constexpr (Swap) word = byte_swapped(word);
    std::memcpy(to + i * sizeof word, &word, sizeof word);
  }
}

// Elements next to each other in the destination and the columns next to each other in the source: strides and numbers
// that the compiler knows, which it makes one piece of code without a loop of.
template <class Word, std::size_t Words, bool Swap, std::uint64_t Rows>
void copy_tile(std::byte* to, std::byte const* from, std::int64_t column_to, std::int64_t row_from,
               std::uint64_t columns) {
  constexpr std::size_t item = sizeof(Word) * Words;
  for (std::uint64_t c = 0; c < columns; ++c, to += column_to, from += item)
    for (std::uint64_t r = 0; r < Rows; ++r)
      copy_element<Word, Words, Swap>(to + r * item, from + static_cast<std::int64_t>(r) * row_from);
}

// A row without gaps, of so many words: a line of the cache at a time.
template <class Word, bool Swap>
void copy_dense_row(std::byte* __restrict to, std::byte const* __restrict from, std::uint64_t count) {
  constexpr std::size_t line = 64 / sizeof(Word);
  std::uint64_t w = 0;
  for (; w + line <= count; w += line)
    for (std::size_t i = 0; i < line; i += lanes<Word>) {
      Vector<Word> words;
      std::memcpy(&words, from + (w + i) * sizeof(Word), sizeof words);
      if constexpr (Swap) words = bytes_swapped<Word>(words);
      std::memcpy(to + (w + i) * sizeof(Word), &words, sizeof words);
    }
  for (; w < count; ++w) copy_element<Word, 1, Swap>(to + w * sizeof(Word), from + w * sizeof(Word));
}

// A row of elements at any strides, or of one element again and again.
template <class Word, std::size_t Words, bool Swap>
void copy_row(std::byte* to, std::byte const* from, Axis row) {
  constexpr std::size_t item = sizeof(Word) * Words;
  constexpr auto dense = static_cast<std::int64_t>(item);
  if (row.from == 0 && row.to == dense) {
    std::byte element[item];
    copy_element<Word, Words, Swap>(element, from);
    for (std::uint64_t r = 0; r < row.count; ++r) std::memcpy(to + r * item, element, item);
  } else {
    for (std::uint64_t r = 0; r < row.count; ++r, to += row.to, from += row.from)
      copy_element<Word, Words, Swap>(to, from);
  }
}

// Tiles of few enough elements that the lines of both sides stay in the first cache, whatever the strides are, and of
// enough that none is fetched more often than need be.
template <class Word, std::size_t Words, bool Swap>
void copy_tiles(std::byte* to, std::byte const* from, Axis column, Axis row) {
  constexpr std::size_t item = sizeof(Word) * Words;
  constexpr auto dense = static_cast<std::int64_t>(item);
  constexpr std::uint64_t columns = 16, rows = 16;
  for (std::uint64_t c = 0; c < column.count; c += columns) {
    auto const wide = std::min(columns, column.count - c);
    for (std::uint64_t r = 0; r < row.count; r += rows) {
      auto const at = static_cast<std::int64_t>(c), first = static_cast<std::int64_t>(r);
      auto* one = to + at * column.to + first * row.to;
      auto const* other = from + at * column.from + first * row.from;
      if (column.from == dense && row.to == dense && row.count - r >= rows) {
        copy_tile<Word, Words, Swap, rows>(one, other, column.to, row.from, wide);
        continue;
      }
      Axis const part{std::min(rows, row.count - r), row.from, row.to};
      for (std::uint64_t i = 0; i < wide; ++i, one += column.to, other += column.from)
        copy_row<Word, Words, Swap>(one, other, part);
    }
  }
}

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

// Rows, if the source is as dense along them as along the columns, or there is one alone. Else tiles.
inline bool goes_along_rows(Axis const& column, Axis const& row) {
  return std::abs(row.from) <= std::abs(column.from) || column.count == 1;
}

template <class Word, std::size_t Words, bool Swap>
void copy_elements(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const&) {
  constexpr auto dense = static_cast<std::int64_t>(sizeof(Word) * Words);
  if (goes_along_rows(column, row)) {
    for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from)
      if (row.from == dense && row.to == dense)  // asked here: rows are short
        copy_dense_row<Word, Swap>(to, from, row.count * Words);
      else
        copy_row<Word, Words, Swap>(to, from, row);
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

// Rows without gaps, as many as the column has. Small chunks have short rows, and a call of memcpy for each would cost
// more than all else that is done for the chunk. Those of `Size` bytes: in a move whose length the compiler knows, four
// in turn.
template <std::size_t Size>
void copy_rows_of(std::byte* to, std::byte const* from, Axis column, Axis, PlacementForm const&) {
  constexpr std::uint64_t turn = 4;
  std::uint64_t c = 0;
  for (; c + turn <= column.count; c += turn)
    for (std::uint64_t i = 0; i < turn; ++i, to += column.to, from += column.from) std::memcpy(to, from, Size);
  for (; c < column.count; ++c, to += column.to, from += column.from) std::memcpy(to, from, Size);
}
// Those of `Part` to twice so many bytes: the first and the last of them.
template <std::size_t Part>
void copy_short_rows(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const& form) {
  auto const rest = row.count * form.item_size - Part;
  for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from) {
    std::memcpy(to, from, Part);
    std::memcpy(to + rest, from + rest, Part);
  }
}
inline void copy_rows(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const& form) {
  for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from)
    std::memcpy(to, from, row.count * form.item_size);
}

template <std::size_t Part>
CopyPlane short_row_copier(std::uint64_t size) {
  return size == Part ? copy_rows_of<Part> : copy_short_rows<Part>;
}
inline CopyPlane row_copier(std::uint64_t size) {
  if (size < 8 || size > 128) return copy_rows;
  return size < 16   ? short_row_copier<8>(size)
         : size < 32 ? short_row_copier<16>(size)
         : size < 64 ? short_row_copier<32>(size)
                     : short_row_copier<64>(size);
}

inline void copy_rows_past_cache(std::byte* to, std::byte const* from, Axis column, Axis row,
                                 PlacementForm const& form) {
  auto const size = row.count * form.item_size;
  if (!are_worth_passing_cache(to, column.to, size)) return row_copier(size)(to, from, column, row, form);
  for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from)
    copy_row_past_cache(to, from, size);
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
// Past the cache: tile by tile in memory that it holds, and from there in whole lines. A tile is of rows, or of parts
// of many. Rows shorter than a line would go through it for nothing.
inline void copy_elements_past_cache(std::byte* to, std::byte const* from, Axis column, Axis row,
                                     PlacementForm const& form) {
  constexpr std::uint64_t size = 4096;
  alignas(cache_line) std::byte tile[size];
  auto const item = form.item_size, row_size = row.count * item;
  auto const lines = (row_size + cache_line - 1) / cache_line * cache_line;
  auto const width = goes_along_rows(column, row) ? std::min(size, lines) : size / 32;
  auto const columns = size / width;
  auto const copy = element_copier(form);
  if (row_size < cache_line || width % item != 0 || row.to != static_cast<std::int64_t>(item) ||
      !begin_lines(to, column.to))
    return copy(to, from, column, row, form);
  for (std::uint64_t c = 0; c < column.count; c += columns)
    for (std::uint64_t r = 0; r < row.count; r += width / item) {
      auto const high = std::min(columns, column.count - c), wide = std::min(width / item, row.count - r);
      auto const down = static_cast<std::int64_t>(c), along = static_cast<std::int64_t>(r);
      copy(tile, from + down * column.from + along * row.from, {high, column.from, static_cast<std::int64_t>(width)},
           {wide, row.from, row.to}, form);
      auto* one = to + down * column.to + along * row.to;
      for (std::uint64_t i = 0; i < high; ++i, one += column.to)
        copy_row_past_cache(one, tile + i * width, wide * item);
    }
}

}  // namespace detail
}  // namespace tessera::inline v0
