// Boxes of the sample volume, compared with the voxels of the whole.
#include <vector>

#include <doctest/doctest.h>

#include <support/brain.hpp>
#include <support/written_array.hpp>

using namespace tessera;
using test::Bytes;

namespace {

/// One random box, read in every way.
template <class T, class Array>
void check_box(Array const& array, std::vector<T> const& whole, std::uint64_t seed) {
  CAPTURE(seed);
  test::Random random{seed};
  Box const box{test::random_slices(random, array.shape())};
  auto const region = box.resolve(array.shape());
  auto const picked = test::picked(test::memory_of(whole), array.shape(), sizeof(T), region);
  std::vector<T> expected(picked.size() / sizeof(T));
  if (!picked.empty()) std::memcpy(expected.data(), picked.data(), picked.size());
  std::uint64_t const batches[] = {0, 1, 2, 3, 100};
  ReadOptions const options{.mini_batch = batches[random(0, 4)]};
  CAPTURE(options.mini_batch);

  std::vector<T> vector(expected.size());
  array.read(box, vector, options);
  CHECK(vector == expected);

  std::vector<T> memory(expected.size() + 2, T{77});
  array.read(box, std::span{memory}.subspan(1, expected.size()), options);
  CHECK(std::equal(expected.begin(), expected.end(), memory.begin() + 1));
  CHECK(memory.front() == 77);
  CHECK(memory.back() == 77);

  auto const owned = array.read(box, options);
  CHECK(owned.shape() == region.count);
  CHECK(owned.size() == expected.size());
  CHECK(std::equal(expected.begin(), expected.end(), owned.elements().begin(), owned.elements().end()));

  // a destination that is transposed, and runs backwards along some dimensions
  auto const order = random.permutation(3);
  std::vector<T> transposed(expected.size() + 2, T{77});
  ArrayView<T, 3> view{transposed.data() + 1, {}, {}};
  std::int64_t stride = 1;
  for (auto d : order) {
    view.shape[d] = region.count[d];
    view.strides[d] = stride;
    stride *= static_cast<std::int64_t>(region.count[d]);
    if (random.one_in(2) && region.count[d] > 0 && !expected.empty()) {
      view.data += view.strides[d] * static_cast<std::int64_t>(region.count[d] - 1);
      view.strides[d] = -view.strides[d];
    }
  }
  array.read(box, view, options);
  std::size_t wrong = 0, i = 0;
  test::for_each_index(region.count, [&](Extents const& at) { wrong += view(at[0], at[1], at[2]) != expected[i++]; });
  CHECK(wrong == 0);
  CHECK(transposed.front() == 77);
  CHECK(transposed.back() == 77);
}

}  // namespace

TEST_CASE("random boxes of t1 are the voxels of the whole, with every kind of queue") {
  for (std::size_t threads : {1u, 2u, 4u}) {
    CAPTURE(threads);
    auto const array = test::open_t1(test::HostQueue{threads});
    for (std::uint64_t seed = 0; seed < 50; ++seed) check_box(array, test::t1_elements(), 1000 * threads + seed);
  }
}

TEST_CASE("random boxes of t1_half are the voxels of the whole, with every kind of queue") {
  for (std::size_t threads : {1u, 2u, 4u}) {
    CAPTURE(threads);
    auto const array = test::open_t1_half(test::HostQueue{threads});
    for (std::uint64_t seed = 0; seed < 50; ++seed)
      check_box(array, test::t1_half_elements(), 10000 + 1000 * threads + seed);
  }
}

TEST_CASE("every size of mini-batch reads the same") {
  auto const array = test::open_t1(test::HostQueue{2});
  std::vector<std::uint8_t> elements(test::t1_elements().size());
  for (std::size_t batch :
       {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{100}, ~std::size_t{0}}) {
    CAPTURE(batch);
    std::fill(elements.begin(), elements.end(), std::uint8_t{0xdd});
    array.read(all, elements, {batch});
    CHECK(elements == test::t1_elements());
  }
}
