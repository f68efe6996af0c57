// Work of queues on chunks of a cache runs in the right order without waits: reads of a chunk follow the write or
// change, and eviction of its memory follows the reads.
#include <algorithm>
#include <numeric>

#include <device/cache/cached.hpp>

namespace cache_order_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::cached_array, test::cached_chunk, test::under_seeds;

namespace {

struct Change {
  ArrayView<std::int32_t, 2, space::Device> view;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { view.in_kernel(i / 16, i % 16) *= -1; }
};
struct Take {
  ArrayView<std::int32_t const, 2, space::Device> view;
  std::int32_t* to;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const { to[i] = view.in_kernel(i / 16, i % 16); }
};

// The array has a column of chunks; a kernel copies the elements of one, without a wait before `found`.
struct Reader {
  DeviceQueue on{HostQueue{}};
  OwnedArray<std::int32_t, 2, DeviceBuffer> memory =
      test::on_device<std::int32_t, 2>(std::vector<std::int32_t>(16 * 16), {16, 16}, on);

  template <class Cache>
  void take(Cache const& cache, std::uint64_t chunk) {
    auto const held = cache.on(on).hold({chunk * 16, 0});
    launch(on, 16 * 16, Take{held[0].view, memory.data()});
  }
  std::vector<std::int32_t> found() { return test::on_host(memory, on); }
};
std::vector<std::int32_t> chunk_of(std::uint64_t number, std::int32_t sign = 1) {
  auto elements = test::numbers_from<std::int32_t>(static_cast<std::int32_t>(1 + number * 256), 256);
  for (auto& one : elements) one *= sign;
  return elements;
}

}  // namespace

TEST_CASE("a queue that reads chunks comes after what filled them, also where it knows others already") {
  under_seeds(32, [] {
    DeviceQueue on{HostQueue{}};
    ChunkCache const cache{cached_array({64, 16}, on), {.device = 4 * cached_chunk}};
    Reader reader;
    reader.take(cache, 0);
    cache.prefetch({{16, 64}, all});
    reader.take(cache, 2);
    CHECK(reader.found() == chunk_of(2));
  });
}

TEST_CASE("a queue that reads chunks comes after those that changed them, and who changes after who reads") {
  under_seeds(32, [] {
    DeviceQueue on{HostQueue{}}, writer{HostQueue{}};
    ChunkCache const cache{cached_array({64, 16}, on), {.device = 4 * cached_chunk}};
    Reader before, after;
    before.take(cache, 1);
    {
      auto const held = cache.on(writer).hold_for_writing({16, 0});
      launch(writer, 16 * 16, Change{held[0].view});
    }
    after.take(cache, 1);
    CHECK(after.found() == chunk_of(1, -1));
    CHECK(before.found() == chunk_of(1));
    before.take(cache, 1);
    CHECK(before.found() == chunk_of(1, -1));
    cache.flush();
    CHECK(cache.array().read<HostBuffer>({{16, 32}, all})(0, 1) == -258);
  });
}

TEST_CASE("memory that a cache gives back is no longer in use by the copies and kernels that filled it") {
  under_seeds(32, [] {
    DeviceQueue on{HostQueue{}};
    ChunkCache const cache{cached_array({128, 16}, on), {.device = 2 * cached_chunk, .host = 6 * cached_chunk}};
    Reader reader;
    cache.prefetch({{0, 96}, all});  // fills chunks, and spills some: the device is still working on it
    cache.clear();
    cache.prefetch({{64, 128}, all});
    reader.take(cache, 5);
    cache.clear();
    CHECK(reader.found() == chunk_of(5));
    CHECK(cache.array().read<HostBuffer>({{16, 32}, all})(0, 1) == 258);
  });
}

TEST_CASE("chunks leave memory, or are written over, after the queues that read them") {
  under_seeds(32, [] {
    DeviceQueue on{HostQueue{}};
    ChunkCache const cache{cached_array({64, 16}, on), {.device = cached_chunk}};
    Reader miss, hit;
    hit.take(cache, 3);  // from here on the cache knows that queue
    miss.take(cache, 0);
    hit.take(cache, 0);
    (void)cache.hold({16, 0});
    CHECK(hit.found() == chunk_of(0));
    CHECK(miss.found() == chunk_of(0));

    miss.take(cache, 2);
    hit.take(cache, 2);
    cache.clear();
    auto const others = test::on_device<std::int32_t, 2>(std::vector<std::int32_t>(1024, -1), {64, 16}, on);
    CHECK(hit.found() == chunk_of(2));
    CHECK(miss.found() == chunk_of(2));
  });
}

TEST_CASE("chunks leave memory after a queue that has used them by a hit alone") {
  under_seeds(32, [] {
    DeviceQueue on{HostQueue{}};
    ChunkCache const cache{cached_array({64, 16}, on), {.device = 2 * cached_chunk}};
    Reader reader;
    cache.prefetch({{0, 32}, all});
    reader.take(cache, 0);  // from here on that queue follows the filling of both
    auto const before = cache.statistics().hits;
    reader.take(cache, 1);
    CHECK(cache.statistics().hits == before + 1);
    (void)cache.hold({{32, 64}, all});
    CHECK(reader.found() == chunk_of(1));
  });
}

TEST_CASE("a chunk that a resize cut is read anew, after the queues that read the old one") {
  under_seeds(32, [] {
    DeviceQueue on{HostQueue{}};
    auto const array = cached_array({64, 16}, on);
    ChunkCache const cache{array, {.device = cached_chunk}};
    Reader reader;
    reader.take(cache, 3);
    array.resize({56, 16});
    array.resize({64, 16});
    reader.take(cache, 3);
    array.resize({56, 16});
    array.through<space::Host>().write({{48, 56}, all}, std::vector<std::int32_t>(128, -1));
    auto const held = cache.hold({48, 0});
    CHECK(held[0].view.shape[0] == 8);
    auto expected = chunk_of(3);
    std::fill(expected.begin() + 128, expected.end(), 0);
    auto const found = reader.found();
    CHECK(std::equal(found.begin(), found.begin() + 128, expected.begin()));
  });
}

TEST_CASE("a cache goes after the queues that read its chunks") {
  under_seeds(32, [] {
    DeviceQueue on{HostQueue{}};
    Reader miss, hit;
    {
      ChunkCache const cache{cached_array({64, 16}, on), {.device = 4 * cached_chunk}};
      hit.take(cache, 3);
      miss.take(cache, 0);
      hit.take(cache, 0);
    }
    auto const others = test::on_device<std::int32_t, 2>(std::vector<std::int32_t>(1024, -1), {64, 16}, on);
    CHECK(hit.found() == chunk_of(0));
    CHECK(miss.found() == chunk_of(0));
  });
}

TEST_CASE("the k-th call of a spill fails: page-locked memory that a copy is on its way to is not the host's yet") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    emulation::seed(15);  // late
    bool has_failed = false;
    {
      DeviceQueue on{HostQueue{}};
      ChunkCache const cache{cached_array({128, 16}, on), {.device = 3 * cached_chunk, .host = 64 << 10}};
      cache.prefetch({{0, 48}, all});
      auto const between = cache.hold({16, 0});  // the others are apart: each spills by a copy of its own
      (void)cache.hold<space::Host>({112, 0});   // the host has waited for earlier work
      emulation::fail(k);
      try {
        (void)cache.hold({{48, 80}, all});
      } catch (Error const&) {
      }
      has_failed = emulation::has_failed();
      emulation::fail_nothing();
      auto const held = cache.hold<space::Host>({{80, 112}, all});
      emulation::run_all();
      for (auto const chunk : held) CHECK(test::elements_of(chunk, {16, 16}, on) == test::expected_of(chunk, 16));
    }
    test::check_nothing_left();
    if (!has_failed) {
      CHECK(k > 5);
      break;
    }
  }
}

TEST_CASE("the k-th call of a read or a write fails: the memory that it was given is the caller's again") {
  constexpr std::size_t size = 64 * 16;
  std::vector<std::int32_t> const given(size, -1), others(size, 99);
  for (bool const writes : {false, true})
    for (std::size_t k = 0;; ++k) {
      CAPTURE(writes);
      CAPTURE(k);
      emulation::seed(15);  // late
      bool has_failed = false;
      {
        DeviceQueue on{HostQueue{}}, user{HostQueue{}}, apart{HostQueue{}};
        ChunkCache const cache{cached_array({64, 16}, on), {.device = 2 * cached_chunk}};
        auto memory = test::on_device<std::int32_t, 2>(given, {64, 16}, apart);
        emulation::fail(k);
        bool threw = false;
        try {
          writes ? cache.on(user).write(all, memory) : cache.on(user).read(all, memory);
        } catch (Error const&) {
          threw = true;
        }
        has_failed = emulation::has_failed();
        emulation::fail_nothing();
        if (!threw) user.wait();
        ByteSpan<space::Device> const bytes{reinterpret_cast<std::byte*>(memory.data()), size * sizeof(std::int32_t)};
        crossing<space::Device, space::Host>::copy(test::bytes_of(others), bytes, apart);
        apart.wait();
        emulation::run_all();
        CHECK(test::on_host(memory, apart) == others);
        auto found = test::on_device<std::int32_t, 2>(given, {64, 16}, on);
        cache.read(all, found);
        auto const elements = test::on_host(found, on);
        CHECK(std::ranges::count(elements, 99) <= 1);  // the one that counts from 1 on
      }
      test::check_nothing_left();
      if (!has_failed) {
        CHECK(k > 5);
        break;
      }
    }
}

TEST_CASE("a write of many parts fails after its first launch: chunks that it made go after that") {
  constexpr std::uint64_t rows = 1280;  // from the last to the first: more parts than in a launch
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    bool has_failed = false;
    emulation::seed(14);  // all but the first stream are late
    {
      DeviceQueue on{HostQueue{}}, user{HostQueue{}};
      ChunkCache const cache{cached_array({rows, 16}, on), {.device = rows * 64}};
      auto const memory = test::on_device<std::int32_t, 2>(std::vector<std::int32_t>(rows * 16, -1), {rows, 16}, user);
      std::vector<std::uint64_t> list(rows);
      std::iota(list.rbegin(), list.rend(), std::uint64_t{0});
      emulation::fail(k);
      bool threw = false;
      try {
        cache.on(user).write(Orthogonal{list, all}, memory);
      } catch (Error const&) {
        threw = true;
      }
      has_failed = emulation::has_failed();
      emulation::fail_nothing();
      auto found = test::on_device<std::int32_t, 2>(std::vector<std::int32_t>(rows * 16), {rows, 16}, on);
      cache.on(on).read(all, found);
      emulation::run_all();
      cache.on(on).read(all, found);
      if (threw)
        CHECK(test::on_host(found, on) == test::numbers_from<std::int32_t>(1, rows * 16));
      else
        CHECK(test::on_host(found, on) == test::on_host(memory, user));
    }
    test::check_nothing_left();
    if (!has_failed) {
      CHECK(k > 5);
      break;
    }
  }
}

TEST_CASE("a write that fails leaves each element as it was or as it was written, whichever of its calls failed") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    emulation::seed(k % 16);
    bool has_failed = false;
    {
      DeviceQueue on{HostQueue{}};
      auto const array = cached_array({64, 16}, on);
      ChunkCache const cache{array, {.device = 3 * cached_chunk, .host = k % 3 * 64 << 10}};
      auto const memory = test::on_device<std::int32_t, 2>(std::vector<std::int32_t>(40 * 16, -1), {40, 16}, on);
      auto const before = test::numbers_from<std::int32_t>(5000, 48 * 16);
      cache.on(on).write({{0, 48}, all}, test::on_device<std::int32_t, 2>(before, {48, 16}, on));
      on.wait();
      emulation::fail(k);
      try {
        cache.on(on).write({{16, 56}, all}, memory);
      } catch (Error const&) {
      }
      has_failed = emulation::has_failed();
      emulation::fail_nothing();
      auto read = test::on_device<std::int32_t, 2>(std::vector<std::int32_t>(64 * 16), {64, 16}, on);
      cache.on(on).read(all, read);
      auto const found = test::on_host(read, on);
      bool is_right = true;
      for (std::int32_t i = 0; i < 64 * 16; ++i) {
        bool const may_be_written = i >= 16 * 16 && i < 56 * 16, must_be = may_be_written && !has_failed;
        auto const one = found[static_cast<std::size_t>(i)];
        auto const was = i < 48 * 16 ? 5000 + i : i + 1;
        is_right = is_right && ((one == was && !must_be) || (one == -1 && may_be_written));
      }
      CHECK(is_right);
      cache.flush();
      std::vector<std::int32_t> stored(64 * 16);
      array.through<space::Host>().read(all, stored);
      CHECK(stored == found);
    }
    test::check_nothing_left();
    if (!has_failed) {
      CHECK(k > 5);
      break;
    }
  }
}

#endif

}  // namespace cache_order_tests
