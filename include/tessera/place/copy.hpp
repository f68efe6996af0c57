// Placing: one pass over the elements of a box that swaps bytes, transposes and copies at once. This is the host's; the
// device's is in copy.cuh. Nothing else in tessera moves elements.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/copy_elements.hpp>
#include <tessera/place/copy_listed.hpp>
#include <tessera/place/copy_rows.hpp>
#include <tessera/place/non_temporal.hpp>
#include <tessera/place/placement.hpp>
#include <tessera/place/plane.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// The axes of a box, longest destination stride first, unit axes left out, axes that continue each other joined.
struct Axes {
  std::size_t rank = 0;
  Axis axis[max_rank];

  Axes(Extents const& count, Strides const& from, Strides const& to) {
    for (std::size_t d = 0; d < count.rank(); ++d) {
      if (count[d] == 1) continue;
      auto at = rank++;  // sorted in by hand: std::stable_sort allocates
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

  Axis remove(std::size_t d) {
    auto const removed = axis[d];
    std::copy(axis + d + 1, axis + rank, axis + d);
    --rank;
    return removed;
  }

  // Calls f(to, from) for each position of the axes that are left.
  template <class F>
  void for_each(std::byte* to, std::byte const* from, F&& f, std::size_t d = 0) const {
    if (d == rank) return f(to, from);
    for (std::uint64_t i = 0; i < axis[d].count; ++i, to += axis[d].to, from += axis[d].from)
      for_each(to, from, f, d + 1);
  }
};

// The planes of a box of that shape: worked out once, for boxes that often are all of one.
class BoxPlanes {
 public:
  BoxPlanes(Extents const& count, PlacementForm const& form)
      : count_{count}, form_{&form}, axes_{count, form.from_strides, form.to_strides}, bytes_{form.item_size} {
    for (auto n : count) bytes_ *= n;
    if (axes_.rank > 0) row_ = axes_.remove(axes_.rank - 1);
  }

  bool is_for(Extents const& count, PlacementForm const& form) const { return form_ == &form && count_ == count; }
  Axis const& row() const { return row_; }

  // The column: the axis along which the source is densest; if that is the row, or rows are one copy, the one that
  // follows.
  void choose_column(bool is_row) {
    auto at = axes_.rank;
    for (std::size_t d = axes_.rank; d-- > 0 && !is_row;)
      if (std::abs(axes_.axis[d].from) < std::abs(at == axes_.rank ? row_.from : axes_.axis[at].from)) at = d;
    if (at == axes_.rank) at = axes_.rank - 1;
    if (axes_.rank > 0) column_ = axes_.remove(at);
  }

  /// Calls f as a CopyPlane. Returns the number of bytes.
  template <class F>
  std::uint64_t for_each(std::byte* to, std::byte const* from, F&& f) const {
    if (bytes_ != 0)
      axes_.for_each(to, from, [&](std::byte* one, std::byte const* other) { f(one, other, column_, row_, *form_); });
    return bytes_;
  }

 private:
  Extents count_;
  PlacementForm const* form_;
  Axes axes_;  // but for these two
  Axis row_{1, 0, 0}, column_{1, 0, 0};
  std::uint64_t bytes_;
};

// How a box of that shape is copied.
class BoxCopier {
 public:
  BoxCopier(Extents const& count, PlacementForm const& form) : planes_{count, form} {
    auto const row = planes_.row();
    auto const item = static_cast<std::int64_t>(form.item_size);
    bool const is_row = form.swapped == 1 && (row.count == 1 || (row.from == item && row.to == item));
    if (form.non_temporal)
      copy_ = is_row ? copy_rows_past_cache : copy_elements_past_cache;
    else
      copy_ = is_row ? row_copier(row.count * form.item_size) : element_copier(form);
    planes_.choose_column(is_row);
  }

  bool is_for(Extents const& count, PlacementForm const& form) const { return planes_.is_for(count, form); }
  std::uint64_t copy(std::byte* to, std::byte const* from) const { return planes_.for_each(to, from, copy_); }

 private:
  BoxPlanes planes_;
  CopyPlane copy_;
};

}  // namespace detail

template <>
struct placer<space::Host> {
  static std::uint64_t place(std::span<Placement<space::Host> const> batch, PlacementForm const& form,
                             Queue<space::Host>&) {
    // A source whose strides are 0 repeats one element.
    PlacementForm const filled{form.item_size, 1, {}, Strides::filled(form.to_strides.rank(), 0), form.to_strides};
    std::optional<detail::BoxCopier> copier;
    std::uint64_t moved = 0;
    for (auto const& p : batch) {
      auto const& way = p.from ? form : filled;
      if (!copier || !copier->is_for(p.count, way)) copier.emplace(p.count, way);
      moved += copier->copy(p.to, p.from ? p.from : form.fill.data);
    }
    if (form.non_temporal) detail::finish_past_cache();
    return moved;
  }

  static std::uint64_t place_listed(ListedBatch<space::Host> const& batch, PlacementForm const& form,
                                    Queue<space::Host>&) {
    return detail::copy_listed(batch, form);
  }

  static void find_filled(ByteView<space::Host> chunks, std::size_t size, ByteView<space::Host> element,
                          std::span<std::uint8_t> filled, Queue<space::Host>&) {
    for (std::size_t i = 0; i < filled.size(); ++i) filled[i] = is_filled(chunks.sub(i * size, size), element);
  }

 private:
  static bool is_filled(ByteView<space::Host> bytes, ByteView<space::Host> element) {
    if (bytes.size < element.size) return true;
    auto const* data = bytes.data;
    return std::memcmp(data, element.data, element.size) == 0 &&
           std::memcmp(data, data + element.size, bytes.size - element.size) == 0;
  }
};

}}  // namespace tessera::v0
