// Chunks that are decoded in the memory of a box, and those that are copied there.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <support/temporary_folder.hpp>
#include <tessera/array/read_boxes.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

namespace direct_boxes_tests {

using namespace tessera;

namespace {

template <class... C>
using Through = Pipeline<space::Host, codec::Bytes, C...>;

/// Reads the boxes into one memory, and compares them. Returns the bytes that were copied.
template <class A>
std::uint64_t copied(A const& array, std::vector<Box> const& boxes) {
  std::vector<int> expected;
  for (auto const& box : boxes) {
    auto const one = array.read(box);
    expected.insert(expected.end(), one.begin(), one.end());
  }
  std::vector<int> memory(expected.size() + 1, -1);
  Traffic traffic;
  read_boxes(array, boxes, std::span{memory}.first(expected.size()), {.traffic = &traffic});
  CHECK(std::equal(expected.begin(), expected.end(), memory.begin()));
  CHECK(memory.back() == -1);
  return traffic.placed;
}

template <class P>
void check(P const& pipeline) {
  test::TemporaryFolder const folder;
  LocalStore<HostBuffer> const store{folder.path()};
  std::vector<int> elements(96);
  std::iota(elements.begin(), elements.end(), 1);

  auto const plane = create_array<int, 2>(store, "plane", {.shape = {8, 12}, .chunks = {4, 6}, .fill = 7}, pipeline);
  Box const first{{0, 4}, {0, 6}}, last{{4, 8}, {6, 12}};
  CHECK(copied(plane, {first, last}) == 192);  // missing chunks
  plane.write(all, elements);
  CHECK(copied(plane, {first, last}) == 0);
  CHECK(copied(plane, {first, last, first}) == 192);    // one chunk for two boxes
  CHECK(copied(plane, {Box{{0, 4}, {0, 12}}}) == 192);  // not contiguous in the box
  CHECK(copied(plane, {Box{{1, 5}, {0, 6}}}) == 96);    // not the whole of any chunk
  CHECK(copied(plane, {Box{Slice{0, 8, 2}, {0, 6}}}) == 96);
  std::vector<int> turned(24);
  Traffic traffic;
  std::vector<Orientation> const flipped{{.flip = {1}}};
  std::vector<Box> const one{first};
  read_boxes(plane, {one, flipped}, turned, {.traffic = &traffic});
  CHECK(traffic.placed == 96);
  CHECK(turned[0] == 6);

  auto const line = create_array<int, 1>(store, "line", {.shape = {96}, .chunks = {6}}, pipeline);
  line.write(all, elements);
  CHECK(copied(line, {Box{{3, 15}}, Box{{51, 63}}}) == 48);  // 3 elements at each end of a box; the chunk between fits
}

}  // namespace

TEST_CASE("a chunk that only one box has, without gaps, is decoded in its memory") {
  check(Through<>{});
  check(Through<codec::Zstd>{});
}

}  // namespace direct_boxes_tests
