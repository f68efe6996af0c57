// A batch of placements as one kernel moves it: made by the host, before a launch.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/place/box_divider.hpp>
#include <tessera/place/choose_tile.hpp>
#include <tessera/place/joined_axes.hpp>
#include <tessera/place/placement.hpp>
#include <tessera/place/placement_kinds.hpp>
#include <tessera/place/placement_table.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Used again and again, for it keeps its vectors' memory.
class PlacementPlan {
 public:
  using Batch = PlacementKinds::Batch;

  /// Boxes of `limit` words or more are divided: numbers of words are below 2^31 in kernels. Throws: Error, where boxes
  /// have more axes than kernels know, or elements are no device's. `whole`: a word stands for an element, whatever the
  /// element's size is on either side, and the form's is 1.
  void make(Batch batch, PlacementForm const& form, std::uint64_t limit = most_words, bool whole = false) {
    boxes.clear();
    shapes.clear();
    table = {};
    blocks = 0;
    kinds_.find(batch, form);
    moved = kinds_.bytes;
    if (moved == 0) return;
    axes_.find(kinds_, form, whole ? 1 : 16);
    word = axes_.word();
    expect_placeable(form);
    set_swapping(form);
    repeat_fill(form);
    auto const column = kinds_.copies && !whole ? column_of_tiles(axes_) : axes_.rank();
    tiled = column != axes_.rank();
    if (tiled) choose_tile(column, axes_, table);
    for (std::size_t d = 0; d < axes_.rank(); ++d) {
      table.axes[d].from = axes_[d].from;
      table.axes[d].to = axes_[d].to;
    }
    table.rank = static_cast<std::uint32_t>(axes_.rank());
    BoxDivider divider{axes_, table, tiled, limit, moved, boxes, shapes};
    kinds_.for_each(batch, [&](Batch alike) { divider.add(alike); });
    blocks = divider.blocks;
    table.box_count = static_cast<std::uint32_t>(boxes.size());
    table.by_box = Division{boxes[0].blocks};
  }

  PlacementTable table;  ///< but for what it has several of
  std::vector<PlacedBox> boxes;
  std::vector<PlacedShape> shapes;
  std::vector<std::byte> fill;  ///< whole words of whole elements; empty if there is nothing to be filled
  std::uint64_t blocks = 0;     ///< of the kernel
  std::uint64_t moved = 0;      ///< bytes
  unsigned word = 1;            ///< bytes that are read and written at once
  bool tiled = false;

 private:
  void expect_placeable(PlacementForm const& form) const {
    if (axes_.rank() > most_axes)
      throw Error{text({"boxes of ", axes_.rank(),
                        " dimensions that do not continue each other cannot be placed by a device: ", most_axes,
                        " are the most"})};
    bool const is_swapped_by_words =
        std::has_single_bit(form.swapped) && form.swapped <= 8 && form.item_size % form.swapped == 0;
    if (form.item_size >= std::size_t{1} << 30 || !is_swapped_by_words)
      throw Error{text({"elements of ", form.item_size, " bytes, of which ", form.swapped,
                        " together change their order, cannot be placed by a device"})};
  }
  void set_swapping(PlacementForm const& form) {
    auto const swapped = static_cast<std::uint32_t>(form.swapped);
    if (swapped > word) table.axes[axes_.rank() - 1].mirror = swapped / word - 1;
    table.swapped = std::min(swapped, word);
  }
  void repeat_fill(PlacementForm const& form) {
    auto const period = std::lcm(form.item_size, std::size_t{word});
    table.fill_words = Division{static_cast<std::uint32_t>(period / word)};
    fill.clear();
    while (kinds_.fills && form.fill.size != 0 && fill.size() < period)
      fill.insert(fill.end(), form.fill.data, form.fill.data + form.fill.size);
  }

  PlacementKinds kinds_;
  JoinedAxes axes_;
};

}  // namespace detail
}}  // namespace tessera::v0
