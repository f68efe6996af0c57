#pragma once
#include <tessera/place/detail/copy_rows.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tessera/place/detail/non_temporal.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/plane.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Rows of `Size` bytes, as constant-size copies, four at a time. Small chunks have short rows: calling memcpy for each
// would cost more than all other work on the chunk.
template <std::size_t Size>
void copy_rows_of(std::byte* to, std::byte const* from, Axis column, Axis, PlacementForm const&) {
  constexpr std::uint64_t turn = 4;
  std::uint64_t c = 0;
  for (; c + turn <= column.count; c += turn)
    for (std::uint64_t i = 0; i < turn; ++i, to += column.to, from += column.from) std::memcpy(to, from, Size);
  for (; c < column.count; ++c, to += column.to, from += column.from) std::memcpy(to, from, Size);
}

// Rows of Part to 2 * Part bytes: copies their first and their last Part bytes.
template <std::size_t Part>
void copy_short_rows(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const& form) {
  auto const rest = row.count * form.item_size - Part;
  for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from) {
    std::memcpy(to, from, Part);
    std::memcpy(to + rest, from + rest, Part);
  }
}

TESSERA_DECL void copy_rows(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const& form) {
  for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from)
    std::memcpy(to, from, row.count * form.item_size);
}

template <std::size_t Part>
CopyPlane short_row_copier(std::uint64_t size) {
  return size == Part ? copy_rows_of<Part> : copy_short_rows<Part>;
}

TESSERA_DECL CopyPlane row_copier(std::uint64_t size) {
  if (size < 8 || size > 128) return copy_rows;
  return size < 16   ? short_row_copier<8>(size)
         : size < 32 ? short_row_copier<16>(size)
         : size < 64 ? short_row_copier<32>(size)
                     : short_row_copier<64>(size);
}

TESSERA_DECL void copy_rows_past_cache(std::byte* to, std::byte const* from, Axis column, Axis row,
                                       PlacementForm const& form) {
  auto const size = row.count * form.item_size;
  if (!are_worth_passing_cache(to, column.to, size)) return row_copier(size)(to, from, column, row, form);
  for (std::uint64_t c = 0; c < column.count; ++c, to += column.to, from += column.from)
    copy_row_past_cache(to, from, size);
}

}}}  // namespace tessera::v0::detail
