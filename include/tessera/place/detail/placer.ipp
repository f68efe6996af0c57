#pragma once
#include <tessera/place/detail/placer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/copy_elements.hpp>
#include <tessera/place/detail/non_temporal.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/plane.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// copy_rows and row_copier copy rows without gaps on both sides.

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

TESSERA_DECL Axes::Axes(Extents const& count, Strides const& from, Strides const& to) {
  for (std::size_t d = 0; d < count.rank(); ++d) {
    if (count[d] == 1) continue;
    auto at = rank++;  // insertion sort: std::stable_sort allocates
    for (; at > 0 && std::abs(axis[at - 1].to) < std::abs(to[d]); --at) axis[at] = axis[at - 1];
    axis[at] = {count[d], from[d], to[d]};
  }
  std::size_t joined = 0;
  for (std::size_t d = 1; d < rank; ++d) {
    auto& outer = axis[joined];
    auto const inner = axis[d];
    auto const n = static_cast<std::int64_t>(inner.count);
    if (outer.from == inner.from * n && outer.to == inner.to * n)
      outer = {outer.count * inner.count, inner.from, inner.to};
    else
      axis[++joined] = inner;
  }
  if (rank > 0) rank = joined + 1;
}

TESSERA_DECL Axis Axes::remove(std::size_t d) {
  auto const removed = axis[d];
  std::copy(axis + d + 1, axis + rank, axis + d);
  --rank;
  return removed;
}

TESSERA_DECL BoxPlanes::BoxPlanes(Extents const& count, PlacementForm const& form)
    : count_{count}, form_{&form}, axes_{count, form.from_strides, form.to_strides}, bytes_{form.item_size} {
  for (auto n : count) bytes_ *= n;
  if (axes_.rank > 0) row_ = axes_.remove(axes_.rank - 1);
}

TESSERA_DECL void BoxPlanes::choose_column(bool is_row) {
  auto at = axes_.rank;
  for (std::size_t d = axes_.rank; d-- > 0 && !is_row;)
    if (std::abs(axes_.axis[d].from) < std::abs(at == axes_.rank ? row_.from : axes_.axis[at].from)) at = d;
  if (at == axes_.rank) at = axes_.rank - 1;
  if (axes_.rank > 0) column_ = axes_.remove(at);
  if (axes_.rank > 0) along_ = axes_.remove(axes_.rank - 1);
}

// The planes of a box shape, and what copies one.
class CopiedPlanes : public BoxPlanes {
 public:
  CopiedPlanes(Extents const& count, PlacementForm const& form) : BoxPlanes{count, form} {
    auto const row = this->row();
    auto const item = static_cast<std::int64_t>(form.item_size);
    bool const is_row = form.swapped == 1 && (row.count == 1 || (row.from == item && row.to == item));
    if (form.non_temporal)
      copy_ = is_row ? copy_rows_past_cache : copy_elements_past_cache;
    else
      copy_ = is_row ? row_copier(row.count * form.item_size) : element_copier(form);
    choose_column(is_row);
  }

  CopyPlane copy() const { return copy_; }

 private:
  CopyPlane copy_;
};

}  // namespace detail

TESSERA_DECL std::uint64_t placer<space::Host>::place(std::span<Placement<space::Host> const> batch,
                                                      PlacementForm const& form, Queue<space::Host>&) {
  // With source strides of 0, one element is repeated.
  PlacementForm const filled{form.item_size, 1, {}, Strides::filled(form.to_strides.rank(), 0), form.to_strides};
  std::optional<detail::CopiedPlanes> planes;
  std::uint64_t moved = 0;
  for (auto const& p : batch) {
    auto const& way = p.from ? form : filled;
    if (!planes || !planes->is_for(p.count, way)) planes.emplace(p.count, way);
    moved += planes->for_each(p.to, p.from ? p.from : form.fill.data, planes->copy());
  }
  if (form.non_temporal) detail::finish_past_cache();
  return moved;
}

TESSERA_DECL void placer<space::Host>::find_filled(ByteView<space::Host> chunks, std::size_t size,
                                                   ByteView<space::Host> element, std::span<std::uint8_t> filled,
                                                   Queue<space::Host>&) {
  for (std::size_t i = 0; i < filled.size(); ++i) filled[i] = is_filled(chunks.sub(i * size, size), element);
}

TESSERA_DECL bool placer<space::Host>::is_filled(ByteView<space::Host> bytes, ByteView<space::Host> element) {
  if (bytes.size < element.size) return true;
  auto const* data = bytes.data;
  return std::memcmp(data, element.data, element.size) == 0 &&
         std::memcmp(data, data + element.size, bytes.size - element.size) == 0;
}

}}  // namespace tessera::v0
