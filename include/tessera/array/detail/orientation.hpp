// Orientation: how a box lies in the memory that it is read into, flipped and transposed, for read_boxes and Loader.
// OrientedBox, BoxList: boxes with it.
#pragma once
#include <concepts>
#include <cstddef>
#include <span>
#include <utility>

#include <tessera/core/dimensions.hpp>
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 {

/// A box is read as `numpy.flip(box, flip).transpose(axes)`, in one pass over its elements.
struct Orientation {
  Extents flip{};  ///< dimensions of the box that run from its last index to its first, in any order
  /// Dimension d of the memory is dimension axes[d] of the box; dimensions after the given ones stay. Empty: all stay.
  Extents axes{};

  /// Whether the box is read as it is.
  bool changes_nothing() const { return flip.rank() == 0 && axes.rank() == 0; }
  friend bool operator==(Orientation const&, Orientation const&) = default;
};

/// What a sampler returns: `OrientedBox{box, {.flip = {0}}}`, or a Box alone.
struct OrientedBox {
  Box box;                  ///< in the array
  Orientation orientation;  ///< in memory

  OrientedBox(Box of_array, Orientation in_memory = {}) : box{std::move(of_array)}, orientation{std::move(in_memory)} {}
};

/// Boxes, as a std::vector<Box> or std::span<Box const>, or with one orientation for each: `{boxes, orientations}`.
/// Refers to both, which must outlive it.
class BoxList {
 public:
  BoxList() = default;  ///< no boxes
  template <class Boxes>
  requires std::convertible_to<Boxes const&, std::span<Box const>> BoxList(
      Boxes const& boxes, std::span<Orientation const> orientations = {})
      : boxes_{boxes}, orientations_{orientations} {}

  std::span<Box const> boxes() const { return boxes_; }
  std::span<Orientation const> orientations() const { return orientations_; }  ///< empty: no box is turned
  std::size_t size() const { return boxes_.size(); }                           ///< boxes
  /// The i-th box alone, with its orientation.
  BoxList only(std::size_t i) const {
    return {boxes_.subspan(i, 1), orientations_.empty() ? orientations_ : orientations_.subspan(i, 1)};
  }

 private:
  std::span<Box const> boxes_;
  std::span<Orientation const> orientations_;
};

}}  // namespace tessera::v0
