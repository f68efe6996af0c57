// placer<space::Host>: one pass over the elements of a box swaps bytes, transposes and copies. placer.cuh has the
// device's. No other code in tessera moves elements.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/copy_listed.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/plane.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// The axes of a box, longest destination stride first, without axes of length 1, and with contiguous axes joined.
struct Axes {
  std::size_t rank = 0;
  Axis axis[max_rank];

  Axes(Extents const& count, Strides const& from, Strides const& to);
  Axis remove(std::size_t d);

  // Calls f(to, from) for each position along the remaining axes.
  template <class F>
  void for_each(std::byte* to, std::byte const* from, F&& f, std::size_t d = 0) const {
    if (d == rank) return f(to, from);
    for (std::uint64_t i = 0; i < axis[d].count; ++i, to += axis[d].to, from += axis[d].from)
      for_each(to, from, f, d + 1);
  }
};

// The planes of a box shape, computed once because consecutive boxes often have the same shape.
class BoxPlanes {
 public:
  BoxPlanes(Extents const& count, PlacementForm const& form);

  bool is_for(Extents const& count, PlacementForm const& form) const { return form_ == &form && count_ == count; }
  Axis const& row() const { return row_; }

  // Chooses the axis along which the source is densest; if that is the row, or rows are copied whole, the next one.
  void choose_column(bool is_row);

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
  Axes axes_;  // without row and column
  Axis row_{1, 0, 0}, column_{1, 0, 0};
  std::uint64_t bytes_;
};

}  // namespace detail

template <>
struct placer<space::Host> {
  static std::uint64_t place(std::span<Placement<space::Host> const> batch, PlacementForm const& form,
                             Queue<space::Host>&);

  static std::uint64_t place_listed(ListedBatch<space::Host> const& batch, PlacementForm const& form,
                                    Queue<space::Host>&) {
    return detail::copy_listed(batch, form);
  }

  static void find_filled(ByteView<space::Host> chunks, std::size_t size, ByteView<space::Host> element,
                          std::span<std::uint8_t> filled, Queue<space::Host>&);

 private:
  static bool is_filled(ByteView<space::Host> bytes, ByteView<space::Host> element);
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/placer.ipp>
#endif
