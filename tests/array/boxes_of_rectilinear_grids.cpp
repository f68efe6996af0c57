// read_boxes of arrays whose chunks have different lengths, compared with a regular array of the same elements.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/random_array.hpp>
#include <support/random_boxes.hpp>
#include <support/padded.hpp>
#include <support/rectilinear_array.hpp>
#include <support/refused.hpp>
#include <tessera/array/read_boxes.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>

namespace boxes_of_rectilinear_grids_tests {

using namespace tessera;
using test::check_refused, test::Random;
using Memory = MemoryStore<HostBuffer>;

namespace {

template <std::size_t Rank>
void check(std::uint64_t seed) {
  CAPTURE(seed);
  Random random{seed};
  std::uint64_t const most[] = {1, 60, 20, 12};
  auto const shape = random.extents(Rank, 1, most[Rank]);
  bool const has_shards = random.one_in(2);
  auto const inner = has_shards ? random.extents(Rank, 1, 3) : Extents::filled(Rank, 1);
  Memory const store, other;
  auto const lengths = test::random_lengths(random, shape, inner);
  CAPTURE(lengths);
  test::put_rectilinear(store, shape, lengths, has_shards ? test::sharded_codecs(inner) : test::plain_codecs);
  auto const array = open_array<std::int32_t, Rank>(store, "a", Queue<space::Host>{random(1, 3)});
  auto const regular = create_array<std::int32_t, Rank>(other, "a", {.shape = shape, .chunks = shape, .fill = -1});
  std::int32_t next = 0;
  for (auto const& box : test::random_boxes(random, shape, 3)) {  // some chunks are missing
    std::vector<std::int32_t> elements(test::size_of(box.resolve(shape).count));
    for (auto& one : elements) one = ++next;
    array.write(box, elements);
    regular.write(box, elements);
  }
  for (int round = 0; round < 5; ++round) {
    auto const options = test::random_options<ReadOptions>(random, 1 << 20);
    auto const boxes = test::random_oriented_boxes(random, shape, random(0, 9));
    CHECK(std::ranges::equal(read_boxes(array, boxes.list(), options), read_boxes(regular, boxes.list())));
    Conversion const halves{.scale = 0.5};
    CHECK(std::ranges::equal(read_boxes_as<double>(array, boxes.list(), halves, options),
                             read_boxes_as<double>(regular, boxes.list(), halves)));
    auto const padding = test::random_padding(random, shape);
    auto const padded = test::random_oriented_boxes(random, padding.padded(shape), random(1, 7));
    CHECK(std::ranges::equal(read_boxes(array, padded.list(), padding, options),
                             read_boxes(regular, padded.list(), padding)));
    auto const mixed = test::random_boxes_of_any_shape(random, shape, random(0, 5));
    std::vector<std::vector<std::int32_t>> found;
    for (std::size_t i = 0; i < mixed.size(); ++i) found.emplace_back(test::size_of(mixed.shape(i, shape)));
    auto expected = found;
    read_boxes(array, mixed.list(), found, options);
    read_boxes(regular, mixed.list(), expected);
    CHECK(found == expected);
  }
}

}  // namespace

TEST_CASE("boxes of a rectilinear grid are those of a regular one, also through shards, padded and converted") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    check<1>(seed);
    check<2>(seed + 100);
    check<3>(seed + 200);
  }
}

TEST_CASE("each chunk that a box has elements of is fetched once, and no other") {
  Memory const store;
  test::put_rectilinear(store, {20}, "[[4, 1, 1, 8, [2, 3]]]");
  auto const array = open_array<std::int32_t, 1>(store, "a");
  std::vector<std::int32_t> numbers(20);
  for (int i = 0; i < 20; ++i) numbers[static_cast<std::size_t>(i)] = i;
  array.write(all, numbers);
  auto const check = [&](std::vector<Box> const& boxes, std::uint64_t chunks, std::vector<std::int32_t> const& found) {
    Traffic traffic;
    CHECK(std::ranges::equal(read_boxes(array, boxes, {.traffic = &traffic}), found));
    CHECK(traffic.chunks == chunks);
  };
  check({{{3, 6}}, {{2, 5}}, {{3, 6}}}, 3, {3, 4, 5, 2, 3, 4, 3, 4, 5});
  check({{{3, 8, 3}}}, 2, {3, 6});     // steps over the chunks of elements 4 and 5
  check({{{2, 18, 5}}}, 3, {2, 7, 12, 17});
  check({{{18, 20}}, {{0, 2}}}, 2, {18, 19, 0, 1});
}

TEST_CASE("a damaged chunk is named by its place in the whole grid") {
  Memory const store;
  test::put_rectilinear(store, {20}, "[[4, 1, 1, 8, [2, 3]]]");
  auto const array = open_array<std::int32_t, 1>(store, "a");
  array.write(all, std::vector<std::int32_t>(20, 5));
  test::put(store, "a/c/5", "short");
  std::vector<Box> const boxes{{{0, 4}}, {{14, 18}}};
  check_refused<CodecError>([&] { (void)read_boxes(array, boxes); }, {"\"a/c/5\""});
  std::vector<Box> const others{{{0, 4}}, {{4, 8}}};
  CHECK(std::ranges::equal(read_boxes(array, others), std::vector<std::int32_t>(8, 5)));
}

TEST_CASE("a run of any number of chunks takes no memory") {
  Memory const store;
  test::put_rectilinear(store, {1'000'000'000'000'000'000}, "[[1, [2, 999999999999999999]]]");
  auto const array = open_array<std::int32_t, 1>(store, "a");
  constexpr auto last = std::uint64_t{999'999'999'999'999'999};
  array.write(Box{{last - 2, last}}, std::vector<std::int32_t>{1, 2});
  std::vector<Box> const boxes{{{last - 3, last + 1}}, {{0, 4}}};
  CHECK(std::ranges::equal(read_boxes(array, boxes), std::vector<std::int32_t>{-1, 1, 2, -1, -1, -1, -1, -1}));
}

}  // namespace boxes_of_rectilinear_grids_tests
