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
};

// The positions along the axes, for a loop. Requires: no axis has length 0.
class AxesPosition {
 public:
  AxesPosition(Axes const& axes, std::byte* first_to, std::byte const* first_from)
      : to{first_to}, from{first_from}, axes_{axes} {
    for (std::size_t d = 0; d < axes.rank; ++d) at_[d] = 0;
  }

  // Whether there is another one.
  bool next() {
    for (auto d = axes_.rank; d-- > 0;) {
      auto const& axis = axes_.axis[d];
      to += axis.to, from += axis.from;
      if (++at_[d] < axis.count) return true;
      auto const n = static_cast<std::int64_t>(axis.count);
      to -= n * axis.to, from -= n * axis.from;
      at_[d] = 0;
    }
    return false;
  }

  std::byte* to;
  std::byte const* from;

 private:
  Axes const& axes_;
  std::uint64_t at_[max_rank];  // those of unused axes are uninitialised
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
    if (bytes_ == 0) return 0;
    AxesPosition first{axes_, to, from};
    do {
      auto* one = first.to;
      auto const* other = first.from;
      for (std::uint64_t i = 0; i < along_.count; ++i, one += along_.to, other += along_.from)
        f(one, other, column_, row_, *form_);
    } while (first.next());
    return bytes_;
  }

 private:
  Extents count_;
  PlacementForm const* form_;
  Axes axes_;  // without these three
  Axis row_{1, 0, 0}, column_{1, 0, 0}, along_{1, 0, 0};  // along_: from one plane to the next, in an inner loop
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
