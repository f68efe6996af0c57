// Random partitions of arrays, the memory of their ranks, and elements that tell where they are.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <support/random.hpp>
#include <tessera/parallel/detail/part_rows.hpp>
#include <tessera/parallel/partition.hpp>
#include <tessera/view/array_view.hpp>

namespace test {

using tessera::Extents;
using tessera::Partition;

// Cuts the array into boxes, some of which are left out or go to no rank.
inline std::vector<tessera::Box> random_boxes(Random& random, Extents const& shape, int ranks) {
  auto const none = Extents::filled(shape.rank(), 0), ones = Extents::filled(shape.rank(), 1);
  std::vector<tessera::Region> parts{{none, shape, ones}};
  while (parts.size() < static_cast<std::size_t>(ranks)) {
    auto& part = parts[random(0, parts.size() - 1)];
    auto const d = random(0, shape.rank() - 1);
    auto other = part;
    auto const cut = random(0, part.count[d]);
    other.first[d] += cut;
    other.count[d] -= cut;
    part.count[d] = cut;
    parts.push_back(other);
  }
  if (random.one_in(3)) parts[random(0, parts.size() - 1)].count[0] /= 2;
  std::vector<tessera::Box> boxes;
  for (auto const& part : parts) {
    std::vector<tessera::Slice> slices;
    for (std::size_t d = 0; d < shape.rank(); ++d) slices.emplace_back(part.first[d], part.first[d] + part.count[d]);
    boxes.emplace_back(std::move(slices));
  }
  return boxes;
}

inline Partition random_partition(Random& random, Extents const& shape, Extents const& chunks, int ranks) {
  auto const halo = random.one_in(2) ? random.extents(shape.rank(), 0, 3) : Extents{};
  switch (random(0, 3)) {
    case 0: return Partition::blocks(shape, ranks, {.halo = halo});
    case 1: return Partition::blocks(shape, ranks, {.align = chunks, .halo = halo});
    case 2: return Partition::cyclic(shape, ranks, random.extents(shape.rank(), 1, 5));
    default: return Partition::boxes(shape, random_boxes(random, shape, ranks), halo);
  }
}

inline std::uint32_t element_at(Extents const& index) {
  std::uint32_t value = 17;
  for (auto i : index) value = value * 1009 + static_cast<std::uint32_t>(i) + 1;
  return value;
}

// A rank's memory, with other elements around it.
template <std::size_t Rank>
struct LocalMemory {
  LocalMemory(Partition const& partition, int rank) {
    Extents larger;
    std::vector<tessera::Slice> inner;
    for (auto n : partition.memory_shape(rank)) larger.push_back(n + 1), inner.emplace_back(1, n + 1);
    elements.resize(tessera::element_count(larger, "memory"), 99);
    view = tessera::ArrayView<std::uint32_t, Rank>::c_order(elements.data(), larger).sub(tessera::Box{inner});
  }
  std::vector<std::uint32_t> elements;
  tessera::ArrayView<std::uint32_t, Rank> view;
};

/// Calls f(index in the array, place in the rank's memory).
template <std::size_t Rank, class F>
void for_each_element(Partition const& partition, Extents const& origin, int rank, bool with_halo, F&& f) {
  tessera::detail::for_each_row(partition.part_of(rank, with_halo), [&](tessera::detail::PartRow const& row) {
    for (std::uint64_t i = 0; i < row.count; ++i) {
      auto index = row.index, at = row.at;
      index[Rank - 1] += i, at[Rank - 1] += i;
      for (std::size_t d = 0; d < Rank; ++d) index[d] += origin[d];
      f(index, at);
    }
  });
}

}  // namespace test
