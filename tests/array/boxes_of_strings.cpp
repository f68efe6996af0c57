// read_boxes of strings and of bytes of any length, compared with a read of each box.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <support/padded.hpp>
#include <support/random_array.hpp>
#include <support/random_boxes.hpp>
#include <support/refused.hpp>
#include <tessera/array/read_boxes.hpp>
#include <tessera/array/strings.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

namespace boxes_of_strings_tests {

using namespace tessera;
using test::check_refused, test::Random;
using Memory = MemoryStore<HostBuffer>;
using Blob = std::vector<std::byte>;

namespace {

template <class T>
T element(std::uint64_t i) {
  using Item = typename T::value_type;
  T result;
  for (auto n = i % 23; n > 0; --n) result.push_back(static_cast<Item>(i * 7 % 26 + 97));
  return result;
}

template <class T, std::size_t Rank>
void check(std::uint64_t seed) {
  CAPTURE(seed);
  Random random{seed};
  using Codec = std::conditional_t<std::same_as<T, std::string>, codec::VlenUtf8, codec::VlenBytes>;
  Memory const store;
  std::uint64_t const most[] = {1, 60, 20, 10};
  auto const shape = random.extents(Rank, 1, most[Rank]);
  auto const array = create_array<T, Rank>(
      store, "a", {.shape = shape, .chunks = random.extents(Rank, 1, most[Rank] / 2), .fill = element<T>(19)},
      Pipeline<space::Host, Codec, codec::Zstd>{}, Queue<space::Host>{random(1, 3)});
  std::uint64_t next = seed;
  for (auto const& box : test::random_boxes(random, shape, 3)) {  // some chunks are missing
    std::vector<T> elements(test::size_of(box.resolve(shape).count));
    for (auto& one : elements) one = element<T>(++next);
    array.write(box, elements);
  }
  auto const whole = array.read(all);
  std::vector<T> const in_array(whole.begin(), whole.end());
  for (int round = 0; round < 4; ++round) {
    auto const options = test::random_options<ReadOptions>(random, 1 << 22);
    auto const drawn = test::random_oriented_boxes(random, shape, random(1, 9));
    std::vector<T> expected;
    for (auto const& box : drawn.boxes) {
      auto const one = array.read(box);
      expected.insert(expected.end(), one.begin(), one.end());
    }
    expected = drawn.turned(expected, shape);
    auto const found = read_boxes(array, drawn.list(), options);
    CHECK(std::ranges::equal(found, expected));
    std::vector<T> memory(expected.size(), element<T>(5));
    read_boxes(array, drawn.list(), memory, options);
    CHECK(memory == expected);

    // Into views of each, whose axes are in another order.
    std::vector<std::vector<T>> memories;
    std::vector<ArrayView<T, Rank>> views;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      auto const count = drawn.shape(i, shape);
      auto& own = memories.emplace_back(test::size_of(count));
      auto& view = views.emplace_back(ArrayView<T, Rank>::c_order(own.data(), count));
      std::int64_t stride = 1;
      for (auto const d : random.permutation(Rank)) {
        view.strides[d] = stride;
        stride *= static_cast<std::int64_t>(std::max<std::uint64_t>(count[d], 1));
      }
    }
    read_boxes(array, drawn.list(), views, options);
    std::size_t wrong = 0, at = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i)
      test::for_each_index(drawn.shape(i, shape), [&](Extents const& index) {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < Rank; ++d) offset += views[i].strides[d] * static_cast<std::int64_t>(index[d]);
        wrong += views[i].data[offset] != expected[at++];
      });
    CHECK(wrong == 0);

    auto const padding = test::random_padding(random, shape);
    auto const padded = padding.padded(shape);
    auto const beyond = test::random_oriented_boxes(random, padded, random(1, 7));
    test::PaddedBoxes<T> reference{in_array, shape, array.chunk_shape(), padding, element<T>(19), beyond.boxes};
    CHECK(std::ranges::equal(read_boxes(array, beyond.list(), padding, options),
                             beyond.turned(reference.elements, padded)));
  }
}

}  // namespace

TEST_CASE("boxes of strings and of bytes are what a read of each gives, of every rank and order, and padded") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    check<std::string, 1>(seed);
    check<std::string, 3>(seed + 100);
    check<Blob, 2>(seed + 200);
  }
}

TEST_CASE("a chunk of strings that several boxes want is decoded once; a damaged one is named") {
  Memory const store;
  auto const array = create_array<std::string, 1>(store, "a", {.shape = {9}, .chunks = {3}},
                                                  Pipeline<space::Host, codec::VlenUtf8, codec::Zstd>{});
  array.write(all,
              std::vector<std::string>{"a", "bb", "", "c", "a string of more than fifteen bytes", "e", "", "", "f"});
  std::vector<Box> const boxes{{{1, 5}}, {{0, 4}}, {{1, 5}}};
  Traffic traffic;
  auto const found = read_boxes(array, boxes, {.traffic = &traffic});
  CHECK(traffic.chunks == 2);
  CHECK(found(0, 3) == "a string of more than fifteen bytes");
  CHECK(found(1, 1) == "bb");
  test::put(store, "a/c/1", "damaged");
  check_refused<CodecError>([&] { (void)read_boxes(array, boxes); }, {"\"a/c/1\"", "zstd"});
}

TEST_CASE("strings are padded by the fill value alone") {
  Memory const store;
  auto const array = create_array<std::string, 1>(store, "a", {.shape = {2}, .chunks = {2}, .fill = "none"},
                                                  Pipeline<space::Host, codec::VlenUtf8>{});
  array.write(all, std::vector<std::string>{"a", "b"});
  std::vector<Box> const boxes{{{0, 4}}};
  Padding padding{.before = {1}, .after = {1}};
  CHECK(std::ranges::equal(read_boxes(array, boxes, padding), std::vector<std::string>{"none", "a", "b", "none"}));
  padding.value = 7;
  check_refused<SelectionError>([&] { (void)read_boxes(array, boxes, padding); },
                                {"\"a/zarr.json\"", "padding", "expected one of string"});
}

}  // namespace boxes_of_strings_tests
