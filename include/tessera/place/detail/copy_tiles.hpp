// copy_tiles: copies rows and tiles of elements of constant size, swapped or not.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tessera/place/detail/non_temporal.hpp>
#include <tessera/place/detail/plane.hpp>
#include <tessera/place/detail/tile.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <std::unsigned_integral W>
constexpr W byte_swapped(W w) {
  W result = 0;
  for (std::size_t i = 0; i < sizeof(W); ++i)  // compiles to one instruction
    result = static_cast<W>(result | static_cast<W>((w >> (8 * i)) & 0xff) << (8 * (sizeof(W) - 1 - i)));
  return result;
}

// One element of `Words` words, each swapped separately.
template <class Word, std::size_t Words, bool Swap>
inline void copy_element(std::byte* to, std::byte const* from) {
  for (std::size_t i = 0; i < Words; ++i) {
    Word word;
    std::memcpy(&word, from + i * sizeof word, sizeof word);
    if constexpr (Swap) word = byte_swapped(word);
    std::memcpy(to + i * sizeof word, &word, sizeof word);
  }
}

// A row of `count` words without gaps, one cache line at a time; PastCache bypasses the cache, and requires that `to`
// begins a line.
template <class Word, bool Swap, bool PastCache>
void copy_dense_row(std::byte* __restrict to, std::byte const* __restrict from, std::uint64_t count) {
  constexpr std::size_t in_line = cache_line / sizeof(Word);
  for (; count >= in_line; count -= in_line, to += cache_line, from += cache_line) {
    Vector<Word> line[in_line / lanes<Word>];
    std::memcpy(line, from, sizeof line);
    if constexpr (Swap)
      for (auto& words : line) words = bytes_swapped<Word>(words);
    if constexpr (PastCache)
      copy_line_past_cache(to, reinterpret_cast<std::byte const*>(line));
    else
      std::memcpy(to, line, sizeof line);
  }
  for (; count > 0; --count, to += sizeof(Word), from += sizeof(Word)) copy_element<Word, 1, Swap>(to, from);
}

// A row of elements at any strides, or of one repeated element.
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

// Contiguous in the destination, with contiguous columns in the source: constant strides and counts, which the compiler
// unrolls.
template <class Word, std::size_t Words, bool Swap, std::uint64_t Rows>
void copy_tile(std::byte* to, std::byte const* from, std::int64_t column_to, std::int64_t row_from,
               std::uint64_t columns) {
  constexpr std::size_t item = sizeof(Word) * Words;
  for (std::uint64_t c = 0; c < columns; ++c, to += column_to, from += item)
    for (std::uint64_t r = 0; r < Rows; ++r)
      copy_element<Word, Words, Swap>(to + r * item, from + static_cast<std::int64_t>(r) * row_from);
}

// Tiles small enough that the lines of both sides stay in the first-level cache at any strides (it holds 8 lines a
// power of two apart), and large enough that no line is fetched more often than necessary.
template <class Word, std::size_t Words, bool Swap>
void copy_tiles(std::byte* to, std::byte const* from, Axis column, Axis row) {
  constexpr std::size_t item = sizeof(Word) * Words;
  constexpr auto dense = static_cast<std::int64_t>(item);
  constexpr std::uint64_t rows = std::clamp<std::uint64_t>(cache_line / item, 8, 16), columns = rows;
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

}}}  // namespace tessera::v0::detail
