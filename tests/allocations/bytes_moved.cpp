// t1_half is transposed, big-endian and compressed: it is decoded once into scratch, and one pass over its elements
// swaps, transposes and places them. There is no buffer in between.
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <support/allocations.hpp>
#include <support/brain.hpp>
#include <support/store_conformance.hpp>
#include <tessera/with/deflate.hpp>

using namespace tessera;

static constexpr std::size_t chunk_bytes = 49 * 58 * 47 * 4;

template <class Array>
static void check_traffic(Array const& array, std::vector<float>& elements, std::size_t batch) {
  Traffic traffic;
  array.read(all, elements, {.mini_batch = batch, .traffic = &traffic});
  CHECK(traffic.chunks == 8);
  CHECK(traffic.missing == 0);
  CHECK(traffic.decoded == 8 * chunk_bytes);
  CHECK(traffic.placed == elements.size() * 4);
  std::uint64_t stored = 0;
  test::brain_store().list("t1_half/c", [&](Listed const& entry) { stored += entry.size; });
  CHECK(traffic.fetched == stored);
  CHECK(elements == test::t1_half_elements());
}

TEST_CASE("t1_half: every element is placed once, every chunk decoded once") {
  using P = Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Blosc>;
  std::vector<float> elements(98 * 116 * 94);
  for (std::size_t batch : {0u, 1u, 3u, 100u}) {
    CAPTURE(batch);
    check_traffic(test::open_t1_half(), elements, batch);
    check_traffic(open_array<float, 3, P>(test::brain_store(), "t1_half", test::HostQueue{2}), elements, batch);
  }
}

TEST_CASE("t1_half: a first read makes one buffer of a chunk's size, whatever else it makes") {
  using P = Pipeline<space::Host, codec::Transpose, codec::Bytes, codec::Blosc>;
  std::vector<float> elements(98 * 116 * 94);
  (void)test::t1_half_elements();
  auto large_buffers = [&](auto const& array, std::size_t least) {
    test::Allocations counted{least};
    array.read(all, elements, {.mini_batch = 1});
    counted.stop();
    return counted.large();
  };
  CHECK(large_buffers(test::open_t1_half(), chunk_bytes) == 1);
  CHECK(large_buffers(open_array<float, 3, P>(test::brain_store(), "t1_half", test::HostQueue{}), chunk_bytes) == 1);
  CHECK(elements == test::t1_half_elements());
}

TEST_CASE("an array of Zarr v2, order F, big-endian, zlib: a chunk is decoded once, and placed in one pass") {
  constexpr std::size_t edge = 64, of_chunk = edge * edge * sizeof(double);
  MemoryStore<HostBuffer> const store;
  test::put(store, "a/.zarray", R"({"zarr_format": 2, "shape": [128, 128], "chunks": [64, 64], "dtype": ">f8",
      "fill_value": 0, "order": "F", "filters": null, "compressor": {"id": "zlib", "level": 1}})");
  std::vector<double> given(128 * 128), elements(given.size());
  for (std::size_t i = 0; i < given.size(); ++i) given[i] = static_cast<double>(i * 7 % 1013);
  Queue<space::Host> on;  // per thread: each has a place to decode in
  auto const array = open_array<double, 2, Codecs<codec::Transpose, codec::Bytes, codec::Zlib>>(store, "a", on);
  array.write(all, given);
  Traffic traffic;
  test::Allocations counted{of_chunk};
  array.read(all, elements, {.mini_batch = 1, .traffic = &traffic});
  counted.stop();
  CHECK(counted.large() == 1);  // the decoding scratch; nothing is between it and the elements
  CHECK(traffic.decoded == 4 * of_chunk);
  CHECK(traffic.placed == elements.size() * sizeof(double));
  CHECK(elements == given);
}

TEST_CASE("a box counts for what it holds") {
  std::vector<float> elements(10 * 20 * 30);
  Traffic traffic;
  test::open_t1_half().read({{40, 50}, {50, 70}, {0, 90, 3}}, elements, {.traffic = &traffic});
  CHECK(traffic.chunks == 8);
  CHECK(traffic.decoded == 8 * chunk_bytes);
  CHECK(traffic.placed == elements.size() * 4);
}

TEST_CASE("a chunk that lies in the destination as it is decoded is decoded right there, without scratch") {
  std::vector<std::uint8_t> elements(64 * 64 * 64), expected;
  for (std::size_t x = 64; x < 128; ++x)
    for (std::size_t y = 64; y < 128; ++y)
      for (std::size_t z = 64; z < 128; ++z) expected.push_back(test::t1_elements()[(x * 233 + y) * 189 + z]);
  auto const array = test::open_t1();
  Traffic traffic;
  test::Allocations counted{64 * 64 * 64};
  array.read({{64, 128}, {64, 128}, {64, 128}}, elements, {.traffic = &traffic});
  counted.stop();
  CHECK(elements == expected);
  CHECK(traffic.decoded == 64 * 64 * 64);
  CHECK(traffic.placed == 0);
  CHECK(counted.large() == 0);
}
