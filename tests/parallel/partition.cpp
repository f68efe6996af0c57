// Partition: grids, alignment, halos, and what is refused.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/parallel/partition.hpp>

namespace {

using namespace tessera;

template <class F>
std::string refused(F&& f) {
  try {
    f();
  } catch (SelectionError const& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("blocks are nearly cubes, and end between chunks where they are aligned") {
  CHECK(Partition::blocks({100, 100, 100}, 8).grid() == Extents{2, 2, 2});
  CHECK(Partition::blocks({400, 100, 100}, 8).grid() == Extents{4, 2, 1});
  CHECK(Partition::blocks({100, 100}, 7).grid() == Extents{7, 1});
  auto const aligned = Partition::blocks({50, 30}, 4, {.align = {16, 16}});
  CHECK(aligned.grid() == Extents{2, 2});
  CHECK(aligned.local_box(0).resolve({50, 30}).count == Extents{32, 16});
  CHECK(aligned.local_box(3).resolve({50, 30}).first == Extents{32, 16});
  CHECK(aligned.memory_shape(3) == Extents{18, 14});
  // As many ranks as blocks, or more: some have no element.
  auto const many = Partition::blocks({3}, 5);
  std::uint64_t elements = 0;
  for (int rank = 0; rank < 5; ++rank) elements += many.memory_shape(rank)[0];
  CHECK(elements == 3);
  CHECK(Partition::blocks({}, 1).memory_shape(0) == Extents{});
}

TEST_CASE("the grid is that of MPI_Cart_create: the last dimension counts fastest") {
  auto const partition = Partition::blocks({4, 6}, 6, {.grid = {2, 3}, .halo = {1, 1}});
  CHECK(partition.local_box(1).resolve({4, 6}).first == Extents{0, 2});
  CHECK(partition.local_box(5).resolve({4, 6}).first == Extents{2, 4});
  CHECK(partition.memory_box(1).resolve({4, 6}).first == Extents{0, 1});  // no halo beyond the array
  CHECK(partition.memory_shape(1) == Extents{3, 4});
  CHECK(partition.has_halo());
}

TEST_CASE("blocks are dealt in turn") {
  auto const partition = Partition::cyclic({10}, 2, {2});
  CHECK(partition.memory_shape(0) == Extents{6});  // [0, 2), [4, 6), [8, 10)
  CHECK(partition.memory_shape(1) == Extents{4});
  CHECK(refused([&] { (void)partition.local_box(0); }) ==
        "rank 0 has 3 blocks along a dimension, expected one box: a cyclic partition has several");
}

TEST_CASE("the last block of the longest array has its elements") {
  auto const most = ~std::uint64_t{0}, half = std::uint64_t{1} << 63;
  CHECK(Partition::blocks({most}, 2, {.align = {half}}).memory_shape(1) == Extents{half - 1});
  CHECK(Partition::cyclic({most}, 2, {half}).memory_shape(1) == Extents{half - 1});
}

TEST_CASE("partitions that do not fit are refused") {
  CHECK(refused([] { Partition::blocks({4, 4}, 4, {.grid = {2, 3}}); }) ==
        "found a grid of ranks [2, 3], expected one of 4 ranks");
  CHECK(refused([] { Partition::blocks({4, 4}, 4, {.align = {2}}); }) ==
        "found an alignment of 1 dimensions, expected 2");
  CHECK(refused([] { Partition::blocks({4}, 0); }) == "found 0 ranks, expected 1 or more");
  CHECK(refused([] { Partition::cyclic({4}, 2, {0}); }) == "dimension 0: found blocks of length 0, expected 1 or more");
  CHECK(refused([] { (void)Partition::blocks({4}, 2).local_box(2); }) == "found rank 2, expected one below 2");
  std::vector<Box> boxes{{{0, 2}, all}, {{3, 4}, all}, {{1, 3}, {2, 3}}};
  CHECK(refused([&] { Partition::boxes({4, 4}, boxes); }) ==
        "the boxes of ranks 0 and 2 overlap, expected each element in one box");
  boxes[2] = {{2, 3}, {0, 4, 2}};
  CHECK(refused([&] { Partition::boxes({4, 4}, boxes); }) == "dimension 1: found a step of 2, expected 1");
}

}  // namespace
