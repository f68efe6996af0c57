// A device with less memory than the budget: idle chunks are evicted before a refusal is final.
#include <device/cache/cached.hpp>

namespace cache_refused_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::cached_array, test::cached_chunk, test::under_seeds;

TEST_CASE("device memory is refused: idle chunks leave it, and what is wanted is there") {
  emulation::Machine small;
  small.memory = 48 << 10;
  emulation::set(small);
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{}};
    ChunkCache const cache{cached_array({256, 64}, on), {.device = 1 << 20, .host = 128 << 10}};
    for (int round = 0; round < 2; ++round)
      for (std::uint64_t row = 0; row < 256; row += 16)
        for (auto const chunk : cache.hold({{row, row + 16}, all}))
          CHECK(test::elements_of(chunk, {16, 16}, on) == test::expected_of(chunk, 64));
    CHECK(cache.statistics().misses == 64);  // the others came back
    CHECK(cache.statistics().device_bytes < 48 << 10);
    // The program's own memory, where the cache was: it requests room.
    cache.clear();
    DeviceBuffer const own{40 << 10, on};
    (void)cache.hold({{0, 16}, all});
  });
  emulation::set({});
}

TEST_CASE("a slab that is refused is made smaller") {
  emulation::Machine small;
  small.memory = 12 << 10;
  emulation::set(small);
  under_seeds(2, [] {
    DeviceQueue on{HostQueue{}};
    detail::Arena<space::Device> arena{1 << 20, 1024};
    CHECK(arena.grow(8, on));
    CHECK(arena.grow(1, on));  // all of them were refused
    CHECK(arena.slots().size() == 9);
    CHECK_THROWS_AS(arena.grow(9, on), OutOfMemory);
    CHECK(arena.bytes() == 9 << 10);
  });
  emulation::set({});
}

TEST_CASE("a read is refused the memory that it needs beside the cache: idle chunks give it theirs") {
  for (std::size_t const memory : {48u << 10, 56u << 10}) {
    CAPTURE(memory);
    emulation::Machine small;
    small.memory = memory;
    emulation::set(small);
    under_seeds(4, [] {
      DeviceQueue on{HostQueue{}};
      ChunkCache const cache{cached_array({256, 64}, on), {.device = 1 << 20}};
      for (std::uint64_t row = 0; row < 256; row += 16)
        for (std::uint64_t column = 0; column < 64; column += 16) (void)cache.hold({row, column});
      auto const before = cache.statistics();
      for (auto const chunk : cache.hold({{0, 64}, all}))
        CHECK(test::elements_of(chunk, {16, 16}, on) == test::expected_of(chunk, 64));
      auto const after = cache.statistics();
      CHECK(after.device_bytes < before.device_bytes);
      CHECK(after.on_device * cached_chunk <= after.device_bytes);
    });
  }
  emulation::set({});
}

TEST_CASE("a read is refused memory while a chunk is held of many that came at once: the others give theirs") {
  emulation::Machine small;
  small.memory = 48 << 20;
  emulation::set(small);
  under_seeds(2, [] {
    constexpr std::uint64_t rows = 1024, columns = 512, bytes = rows * columns * sizeof(std::int32_t), last = 16 * rows;
    DeviceQueue on{HostQueue{}};
    auto const array = create_array<std::int32_t, 2>(MemoryStore<HostBuffer>{}, "a",
                                                     {.shape = {17 * rows, columns}, .chunks = {rows, columns}},
                                                     test::Compressed{}, on);
    auto const written = test::numbers_from<std::int32_t>(1, rows * columns);
    array.through<space::Host>().write({{last, last + rows}, all}, written);
    ChunkCache const cache{array, {.device = 16 * bytes}};
    auto many = cache.hold({{0, last}, all});
    auto const one = cache.hold({rows, 0});
    many.release();
    on.trim();
    DeviceBuffer const own{15 << 20, on};  // 1 MiB is left, and the decoded chunk needs two
    auto const wanted = cache.hold({last, 0});
    REQUIRE(wanted.size() == 1);
    CHECK(test::elements_of(wanted[0], {rows, columns}, on) == written);
    CHECK(cache.where({1, 0}).on_device);
    CHECK(cache.statistics().device_bytes < 16 * bytes);
    cache.clear();  // each held one keeps its neighbours of the same read
    CHECK(cache.statistics().device_bytes <= 2 * detail::Arena<space::Device>::most_slab);
  });
  emulation::set({});
}

TEST_CASE("device memory is refused, and all chunks are held: the refusal is believed, and nothing is lost") {
  emulation::Machine small;
  small.memory = 32 << 10;
  emulation::set(small);
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{}};
    ChunkCache const cache{cached_array({256, 64}, on), {.device = 1 << 20, .host = 128 << 10}};
    std::vector<decltype(cache.hold({0, 0}))> held;
    bool is_refused = false;
    for (std::uint64_t row = 0; row < 256 && !is_refused; row += 16) try {
        held.push_back(cache.hold({{row, row + 16}, all}));
      } catch (OutOfMemory const& error) {
        is_refused = true;
        CHECK(std::string{error.what()}.find("cannot allocate") != std::string::npos);
      }
    CHECK(is_refused);
    CHECK(held.size() > 2);
    for (auto const& some : held)
      for (auto const chunk : some) CHECK(test::elements_of(chunk, {16, 16}, on) == test::expected_of(chunk, 64));
    held.clear();
    for (auto const chunk : cache.hold({{240, 256}, all}))
      CHECK(test::elements_of(chunk, {16, 16}, on) == test::expected_of(chunk, 64));
  });
  emulation::set({});
}

TEST_CASE("placed chunks stay; a policy says which do not spill") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{}};
    ChunkCache const cache{cached_array({64, 64}, on), {.device = 5 * cached_chunk, .host = 64 << 10}};
    cache.place<space::Device>({5, 5});
    for (std::uint64_t row = 0; row < 64; row += 16) (void)cache.on(on).hold({{row, row + 16}, all});
    CHECK(cache.where({0, 0}).on_device);
    CHECK(cache.statistics().held == 1);
    cache.place<space::Host>({5, 5});
    for (std::uint64_t row = 16; row < 64; row += 16) (void)cache.on(on).hold({{row, row + 16}, all});
    CHECK_FALSE(cache.where({0, 0}).on_device);
    CHECK(cache.where({0, 0}).on_host);

    ChunkCache const picky{
        cached_array({64, 64}, on), {.device = 4 * cached_chunk, .host = 64 << 10}, test::FirstRow{}};
    for (std::uint64_t row = 0; row < 64; row += 16) (void)picky.hold({{row, row + 16}, all});
    CHECK(picky.statistics().spills == 4);
    CHECK(picky.where({0, 0}).on_host);
    CHECK_FALSE(picky.where({1, 0}).on_host);
    CHECK(picky.statistics().forgotten == 8);
  });
}

TEST_CASE("the host has room for some of those that leave: the ones that were used last") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{}};
    auto const array = create_array<std::int32_t, 2>(MemoryStore<HostBuffer>{}, "a",
                                                     {.shape = {64 << 10, 1}, .chunks = {8 << 10, 1}},
                                                     test::Compressed{}, on);
    ChunkCache const cache{array, {.device = 128 << 10, .host = 64 << 10}};  // four chunks, and two
    for (std::uint64_t const chunk : {2u, 0u, 3u, 1u}) (void)cache.hold({chunk << 13, 0});
    (void)cache.hold({{32 << 10, 64 << 10}, all});
    for (std::uint64_t const chunk : {1u, 3u}) CHECK(cache.where({chunk, 0}).on_host);
    for (std::uint64_t const chunk : {0u, 2u}) CHECK_FALSE(cache.where({chunk, 0}).on_host);
  });
}

TEST_CASE("what the host cannot write back does not spill while it is dirty") {
  under_seeds(4, [] {
    DeviceQueue on{HostQueue{}};
    auto const array = create_array<std::int32_t, 2>(test::in_device_memory(), "a",
                                                     {.shape = {32, 1}, .chunks = {16, 1}}, test::OnDevice{}, on);
    ChunkCache const cache{array, {.device = 64, .host = 64 << 10}};
    (void)cache.hold_for_writing({0, 0});
    (void)cache.hold({16, 0});
    CHECK(cache.statistics().written == 1);
    CHECK(cache.statistics().spills == 0);
    (void)cache.hold({0, 0});  // clean chunks spill there, too
    CHECK(cache.statistics().spills == 1);
  });
}

#endif

}  // namespace cache_refused_tests
