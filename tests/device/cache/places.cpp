// One array whose parts are in several memories: its chunks in a cache, its values in two stores, encoded in one memory
// and decoded in another.
#include <algorithm>
#include <string>
#include <vector>

#include <tessera/codec/bytes_to_bytes/crc32c.cuh>

#include <device/cache/cached.hpp>

namespace cache_places_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::cached_array, test::cached_chunk, test::under_seeds;

namespace {

// Two chunks along each dimension; the device has room for half, and the host for all.
template <std::size_t Rank>
void check_where() {
  CAPTURE(Rank);
  constexpr std::uint64_t chunks = 1 << Rank, slot = 64;
  DeviceQueue on{HostQueue{}};
  auto const array = create_array<std::int32_t, Rank>(
      MemoryStore<HostBuffer>{}, "a",
      {.shape = Extents::filled(Rank, 4), .chunks = Extents::filled(Rank, 2), .fill = 7}, test::Compressed{}, on);
  auto const bytes = std::max<std::uint64_t>(slot, (std::uint64_t{1} << Rank) * sizeof(std::int32_t));
  ChunkCache const cache{array, {.device = chunks / 2 * bytes, .host = 64 << 10}};
  auto const chunk = [](std::uint64_t i) {
    auto place = Extents::filled(Rank, 0);
    for (std::size_t d = 0; d < Rank; ++d) place[d] = i >> (Rank - 1 - d) & 1;
    return place;
  };
  auto const hold = [&](std::uint64_t i) {
    auto const place = chunk(i);
    return cache.hold(Blocks{std::vector<Slice>(place.begin(), place.end())});
  };
  for (std::uint64_t i = 0; i < chunks; ++i) {
    CHECK_FALSE(cache.where(chunk(i)).on_device);
    CHECK(hold(i).size() == 1);
    CHECK(cache.where(chunk(i)).on_device);
  }
  for (std::uint64_t i = 0; i < chunks; ++i) {
    auto const found = cache.where(chunk(i));
    CHECK(found.on_device == (i >= chunks / 2));
    CHECK(found.on_host == (i < chunks / 2));
  }
  (void)hold(0);
  CHECK(cache.where(chunk(0)).on_device);
  CHECK(cache.where(chunk(0)).on_host);
  CHECK_FALSE(cache.where(chunk(chunks / 2)).on_device);
  auto outside = chunk(0);
  outside[Rank - 1] = 2;
  CHECK_FALSE(cache.where(outside).on_device);
  CHECK_FALSE(cache.where(outside).on_host);
}

}  // namespace

TEST_CASE("where says of each chunk in which memories it is, in arrays of one to five dimensions") {
  under_seeds(2, [] { check_where<1>(), check_where<2>(), check_where<3>(), check_where<4>(), check_where<5>(); });
}

TEST_CASE("a part of an array is placed on the device and a part on the host: both stay, and are hits") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{}};
    Box const upper{{0, 32}, all}, lower{{32, 64}, all};
    ChunkCache const cache{cached_array({64, 64}, on), {.device = 9 * cached_chunk, .host = 64 << 10}};
    cache.place<space::Device>(upper);
    cache.place<space::Host>(lower);
    for (std::uint64_t row = 32; row < 64; row += 16)
      for (std::uint64_t column = 0; column < 64; column += 16) (void)cache.hold({row, column});  // in the ninth slot
    CHECK_THROWS_WITH_AS((void)cache.hold(lower), doctest::Contains("[0, 0] (placed)"), Error);
    auto const before = cache.statistics();
    CHECK(before.held == 16);
    CHECK(before.misses == 16);
    emulation::Watch const watch;
    auto const device = cache.hold<space::Device>(upper);
    auto const host = cache.hold<space::Host>(lower);
    static_assert(std::same_as<decltype(device[0].view)::space_type, space::Device>);
    static_assert(std::same_as<decltype(host[0].view)::space_type, space::Host>);
    CHECK(watch.calls().empty());
    CHECK(cache.statistics().hits == before.hits + 16);
    for (auto const chunk : device) CHECK(test::elements_of(chunk, {16, 16}, on) == test::expected_of(chunk, 64));
    for (auto const chunk : host) CHECK(chunk.view(1, 2) == test::expected_of(chunk, 64)[18]);
  });
}

TEST_CASE("values of one array in device memory and in files: what is in files alone crosses") {
  test::TemporaryFolder folder;
  under_seeds(4, [&, made = 0]() mutable {
    DeviceQueue on{HostQueue{}};
    auto const upper = [](std::span<std::uint64_t const> chunk) { return chunk[0] < 3; };
    MemoryStore<DeviceBuffer> const memory;
    LocalStore<DeviceBuffer> const files{folder / std::to_string(made++)};
    SplitStore const store{MemoryStore<HostBuffer>{}, RoutedStore{memory, files, ChunksWhere{"a", upper}}};
    auto const array =
        create_array<std::int32_t, 2>(store, "a", {.shape = {64, 16}, .chunks = {16, 16}}, test::OnDevice{}, on);
    auto const numbers = test::numbers_from<std::int32_t>(1, 64 * 16);
    auto const from = test::on_device<std::int32_t, 2>(numbers, {64, 16}, on);
    array.on(on).write(all, from).wait();
    std::size_t in_memory = 0, in_files = 0;
    memory.list("", [&](Listed const&) { ++in_memory; });
    files.list("", [&](Listed const&) { ++in_files; });
    CHECK(in_memory == 3);
    CHECK(in_files == 1);
    auto to = test::on_device<std::int32_t, 2>(std::vector<std::int32_t>(64 * 16), {64, 16}, on);
    emulation::Watch const watch;
    array.on(on).read(all, to).wait();
    CHECK(watch.copied(cudaMemcpyHostToDevice) == cached_chunk);
    CHECK(test::on_host(to, on) == numbers);
  });
}

TEST_CASE("encoded chunks in device memory, and decoded ones in a cache: none is read or crosses again") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{}};
    using Checked = Pipeline<space::Device, codec::Bytes, codec::DeviceCrc32c>;
    auto const array = create_array<std::int32_t, 2>(test::in_device_memory(), "a",
                                                     {.shape = {64, 64}, .chunks = {16, 16}}, Checked{}, on);
    auto const numbers = test::numbers_from<std::int32_t>(1, 64 * 64);
    auto const from = test::on_device<std::int32_t, 2>(numbers, {64, 64}, on);
    array.on(on).write(all, from).wait();
    ChunkCache const cache{array, {.device = 4 * cached_chunk}};
    emulation::Watch const watch;
    for (int round = 0; round < 2; ++round)
      for (std::uint64_t row = 0; row < 64; row += 16)
        for (std::uint64_t column = 0; column < 64; column += 32)
          CHECK(cache.hold({{row, row + 16}, {column, column + 32}}).size() == 2);
    CHECK(cache.statistics().misses == 32);                          // the evicted one was decoded anew
    CHECK(watch.copied(cudaMemcpyHostToDevice) < 4 * cached_chunk);  // lists of chunks to decode and to place
    CHECK(watch.copied(cudaMemcpyDeviceToHost) < 4 * cached_chunk);
    for (auto const chunk : cache.hold({{16, 32}, {0, 64}}))
      CHECK(test::elements_of(chunk, {16, 16}, on) == test::expected_of(chunk, 64));
  });
}

TEST_CASE(
    "where codecs are the device's alone, chunks reach the host by way of it, as many at a time as it has room for") {
  under_seeds(8, [] {
    DeviceQueue on{HostQueue{}};
    using Checked = Pipeline<space::Device, codec::Bytes, codec::DeviceCrc32c>;
    auto const array = create_array<std::int32_t, 2>(test::in_device_memory(), "a",
                                                     {.shape = {64, 64}, .chunks = {16, 16}}, Checked{}, on);
    auto const from = test::on_device<std::int32_t, 2>(test::numbers_from<std::int32_t>(1, 64 * 64), {64, 64}, on);
    array.on(on).write(all, from).wait();
    ChunkCache const cache{array, {.device = 3 * cached_chunk, .host = 64 << 10}};
    for (auto const chunk : cache.hold<space::Host>(all)) {
      auto const expected = test::expected_of(chunk, 64);
      CHECK(std::equal(expected.begin(), expected.end(), &chunk.view(0, 0)));
    }
    auto const found = cache.statistics();
    CHECK(found.misses == 16);
    CHECK(found.on_host == 16);
    CHECK(found.on_device == 0);
    CHECK(found.to_host == 16 * cached_chunk);
    auto const held = cache.hold({{0, 16}, {0, 48}});  // the device's room is free, until it is held
    ChunkCache const full{array, {.device = cached_chunk, .host = 64 << 10}};
    auto const one = full.hold({0, 0});
    CHECK_THROWS_WITH_AS((void)full.hold<space::Host>({20, 20}), doctest::Contains("no room in device memory"), Error);
    CHECK(full.statistics().on_host == 0);
  });
}

#endif

}  // namespace cache_places_tests
