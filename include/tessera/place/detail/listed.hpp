// ListedBatch: elements at listed positions, which a box cannot describe, for placing.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

/// The distance of two elements on both sides, in bytes.
struct OffsetPair {
  std::int64_t from, to;
};

/// One axis of a ListedBox: positions from a list or at equal steps.
struct ListedAxis {
  std::uint64_t count;
  std::size_t first_pair;  ///< of `count` pairs in the batch
  OffsetPair step;         ///< if there is no list
  bool is_list;
};

/// Elements to copy, one for each index along each axis; without axes, a single one. Without a source they are filled,
/// and offsets on that side are 0.
template <MemorySpace S>
struct ListedBox {
  std::byte const* from;
  std::byte* to;
  std::size_t first_axis, axes;  ///< in the batch; the last axis, if any, has a list
  std::size_t chunk;             ///< of these elements, for errors
};

/// Boxes placed together. clear() keeps the memory.
template <MemorySpace S>
struct ListedBatch {
  std::vector<ListedBox<S>> boxes{};
  std::vector<ListedAxis> axes{};
  std::vector<OffsetPair> pairs{};

  void clear() {
    boxes.clear();
    axes.clear();
    pairs.clear();
  }
  std::uint64_t elements(ListedBox<S> const& box) const {
    std::uint64_t product = 1;
    for (std::size_t a = 0; a < box.axes; ++a) product *= axes[box.first_axis + a].count;
    return product;
  }
};

}}  // namespace tessera::v0
