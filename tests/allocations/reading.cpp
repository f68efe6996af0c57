// After the first batches, reading allocates nothing: neither in tessera nor in the libraries below it.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <support/brain.hpp>

using namespace tessera;

namespace {

struct Counts {
  std::size_t news, blocks;
  friend bool operator==(Counts const&, Counts const&) = default;
};

template <class Array, class T>
Counts count(Array const& array, Box const& box, std::vector<T>& to, ReadOptions options = {}) {
  (void)test::all_allocations_are_seen();
  test::Allocations counted;
  array.read(box, to, options);
  counted.stop();
  return {counted.news(), counted.blocks()};
}

Box const one_chunk{{10, 60}, {70, 120}, {10, 60}};

}  // namespace

TEST_CASE("t1: a read on a warmed inline queue allocates nothing, be it of one chunk or of all 48") {
  std::vector<std::uint8_t> all_of_it(197 * 233 * 189), part(50 * 50 * 50);
  using P = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  auto check = [&](auto const& array) {
    for (std::size_t batch : {0u, 1u, 5u}) {
      CAPTURE(batch);
      array.read(all, all_of_it, {.mini_batch = batch});
      CHECK(count(array, all, all_of_it, {.mini_batch = batch}) == Counts{0, 0});
      CHECK(count(array, one_chunk, part, {.mini_batch = batch}) == Counts{0, 0});
      CHECK(all_of_it == test::t1_elements());
    }
  };
  check(test::open_t1());
  check(open_array<std::uint8_t, 3, P>(test::brain_store(), "t1", test::HostQueue{}));
  check(open_array<std::uint8_t, 3, AllCodecs>(test::brain_copy("t1"), "t1", test::HostQueue{}));
}

TEST_CASE("t1: the first read allocates for one mini-batch, not per chunk") {
  std::vector<std::uint8_t> all_of_it(197 * 233 * 189), part(63 * 63 * 63);
  std::string longest;  // its value needs the most room: no other chunk makes the scratch grow
  std::uint64_t most = 0;
  test::brain_store().list("t1/c", [&](Listed const& entry) {
    if (entry.size > most) most = entry.size, longest = entry.path;
  });
  auto const at = [&](std::size_t d) { return static_cast<std::uint64_t>(longest[5 + 2 * d] - '0') * 64; };
  auto const array = test::open_t1();
  auto const first =
      count(array, {{at(0), at(0) + 63}, {at(1), at(1) + 63}, {at(2), at(2) + 63}}, part, {.mini_batch = 1}).news;
  CHECK(first > 0);
  CHECK(first < 40);
  CHECK(count(array, all, all_of_it, {.mini_batch = 1}).news == 0);
}

TEST_CASE("t1_half: the library that blosc is allocates on its own, tessera does not") {
  std::vector<float> elements(98 * 116 * 94);
  auto const array = test::open_t1_half();
  array.read(all, elements);
  CHECK(count(array, all, elements).news == 0);
  CHECK(elements == test::t1_half_elements());
}

TEST_CASE("t1_sharded: a read of inner chunks whose index is kept allocates nothing") {
  auto const array = open_array<std::uint8_t, 3, AllCodecs>(test::brain_store(), "t1_sharded", test::HostQueue{});
  array.keep_shard_indexes(1 << 20);
  std::vector<std::uint8_t> all_of_it(197 * 233 * 189), part(50 * 50 * 50), one(1);
  for (int round = 0; round < 3; ++round) {  // shards are read whole through the first one, in parts through the second
    std::size_t blocks = count(array, all, all_of_it).blocks + count(array, one_chunk, part).blocks;
    for (std::uint64_t i = 0; i < 150; i += 7) {
      blocks += count(array, {{i, i + 1}, {150 - i, 151 - i}, {i, i + 1}}, one).blocks;
      CHECK(one[0] == test::t1_elements()[(i * 233 + 150 - i) * 189 + i]);
    }
    if (round == 2) CHECK(blocks == 0);
  }
  CHECK(all_of_it == test::t1_elements());
}
