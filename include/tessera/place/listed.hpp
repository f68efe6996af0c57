// Elements at places of lists, for placing: what a box cannot say.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

/// How far apart two elements are on either side, in bytes.
struct OffsetPair {
  std::int64_t from, to;
};

/// One axis of a ListedBox: where the elements along it lie, of a list or at equal steps.
struct ListedAxis {
  std::uint64_t count;
  std::size_t first_pair;  ///< of so many pairs of the batch
  OffsetPair step;         ///< of an axis without a list
  bool is_list;
};

/// Elements to be copied, one for each index along each of its axes; a single one without axes. Without a source they
/// are filled, and on that side nothing is apart.
template <MemorySpace S>
struct ListedBox {
  std::byte const* from;
  std::byte* to;
  std::size_t first_axis, axes;  ///< so many of the batch; the last one, if there is any, has a list
  std::size_t chunk;             ///< whose elements these are, for errors
};

/// What is placed together. Cleared, it keeps its memory.
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
