// Random programs on a cache of the device: every element is right, wherever it is, whatever fails, and the budget is
// kept.
#include <memory>
#include <optional>
#include <random>
#include <thread>

#include <device/cache/cached.hpp>

namespace cache_random_programs_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::cached_array, test::cached_chunk, test::under_seeds;

namespace {

// 119 chunks, more than fit on the device and on the host together.
constexpr std::uint64_t rows = 260, columns = 100, of_device = 12 * cached_chunk, of_host = 64 << 10;

// A cache, its expected elements, and operations of a program on it. Each may fail and is repeated.
class Program {
 public:
  explicit Program(std::uint64_t seed, std::uint64_t host = of_host)
      : has_host_{host > 0},
        random_{seed},
        queues_{DeviceQueue{HostQueue{}}, DeviceQueue{HostQueue{}}, DeviceQueue{HostQueue{2}}},
        array_{cached_array({rows, columns}, queues_[0])},
        cache_{array_, {.device = of_device, .host = host}},
        expected_{test::numbers_from<std::int32_t>(1, rows * columns)} {}

  void step(bool may_fail) {
    auto const what = random_() % 9;
    CAPTURE(what);
    auto const box = random_box();
    auto& on = queues_[random_() % queues_.size()];
    bool const on_host = random_() % 3 == 0 && has_host_;
    std::vector<std::int32_t> fresh;
    if (what < 2)
      for (std::uint64_t i = 0; i < box.count[0] * box.count[1]; ++i)
        fresh.push_back(static_cast<int>(random_() % 1000000));
    auto const run = [&] {
      if (what < 2) return write(box, fresh, on, on_host);
      if (what < 4) return read(box, on, on_host);
      if (what < 6) return on_host ? hold<space::Host>(box, on) : hold<space::Device>(box, on);
      if (what == 6) return on_host ? cache_.prefetch<space::Host>(of(box)) : cache_.prefetch(of(box));
      if (what == 7) return random_() % 2 == 0 ? void(cache_.write_back()) : cache_.clear();
      cache_.flush();
      check_stored();
    };
    if (may_fail && random_() % 2 == 0) {
      emulation::fail(random_() % 40);
      try {
        run();
      } catch (Error const&) {
        if (!emulation::has_failed()) {
          emulation::fail_nothing();
          throw;
        }
      }
      emulation::fail_nothing();
    }
    run();
    auto const found = cache_.statistics();
    CHECK(found.device_bytes <= of_device);
    CHECK(found.host_bytes <= of_host);
    CHECK(found.on_device <= 12);
    CHECK(found.held == 0);
  }

  void finish() {
    cache_.flush();
    check_stored();
    CHECK(cache_.statistics().dirty == 0);
    // The memory that it reports equals the runtime's count.
    for (auto& queue : queues_) queue.trim();
    auto const taken = cache_.statistics();
    auto const before = emulation::alive();
    cache_.clear();
    auto const after = emulation::alive();
    CHECK(before.bytes - after.bytes == taken.device_bytes + taken.host_bytes);
    CHECK(before.page_locked - after.page_locked == taken.host_bytes);
  }

 private:
  Region random_box() {
    Region box{{0, 0}, {1, 1}, {1, 1}};
    Extents const shape{rows, columns}, most{60, 70};
    for (std::size_t d = 0; d < 2; ++d) {
      box.first[d] = random_() % shape[d];
      box.count[d] = 1 + random_() % std::min(most[d], shape[d] - box.first[d]);
    }
    return box;
  }
  static Box of(Region const& box) {
    return Box{{box.first[0], box.first[0] + box.count[0]}, {box.first[1], box.first[1] + box.count[1]}};
  }
  template <class F>
  void for_each(Region const& box, F&& f) {
    std::size_t at = 0;
    for (std::uint64_t i = 0; i < box.count[0]; ++i)
      for (std::uint64_t j = 0; j < box.count[1]; ++j)
        f(at++, expected_[(box.first[0] + i) * columns + box.first[1] + j]);
  }

  void write(Region const& box, std::vector<std::int32_t> const& fresh, DeviceQueue& on, bool on_host) {
    if (on_host) {
      cache_.on(on).write(of(box), fresh);
    } else {
      auto memory = test::on_device<std::int32_t, 2>(fresh, box.count, on);
      cache_.on(on).write(of(box), memory);
      on.keep(std::move(memory));
    }
    for_each(box, [&](std::size_t i, std::int32_t& element) { element = fresh[i]; });
  }
  void read(Region const& box, DeviceQueue& on, bool on_host) {
    std::vector<std::int32_t> found(box.count[0] * box.count[1], -1);
    if (on_host) {
      cache_.on(on).read(of(box), found);
    } else {
      auto memory = test::on_device<std::int32_t, 2>(found, box.count, on);
      cache_.on(on).read(of(box), memory);
      found = test::on_host(memory, on);
    }
    bool same = true;
    for_each(box, [&](std::size_t i, std::int32_t const& element) { same = same && found[i] == element; });
    CHECK(same);
  }
  template <class S>
  void hold(Region const& box, DeviceQueue& on) {
    auto const inside = [&](std::uint64_t first, std::uint64_t end) {
      return Slice{first / 16 * 16, std::min(end, first / 16 * 16 + 48)};
    };
    auto const held = cache_.on(on).template hold<S>(Box{inside(box.first[0], rows), inside(box.first[1], columns)});
    // Others come and go; held chunks stay in place.
    cache_.template prefetch<S>(Box{{0, 16}, all});
    for (auto const chunk : held) {
      auto const found = test::elements_of(chunk, {16, 16}, on);
      bool same = true;
      std::size_t at = 0;
      for_each({chunk.first, Extents{chunk.view.shape[0], chunk.view.shape[1]}, {1, 1}},
               [&](std::size_t, std::int32_t const& element) { same = same && found[at++] == element; });
      CHECK(same);
    }
  }
  void check_stored() {
    std::vector<std::int32_t> stored(rows * columns);
    array_.through<space::Host>().read(all, stored);
    CHECK(stored == expected_);
  }

  bool has_host_;  // the host's side may run out of memory
  std::mt19937_64 random_;
  std::vector<DeviceQueue> queues_;
  decltype(cached_array({}, std::declval<DeviceQueue const&>())) array_;
  ChunkCache<decltype(array_)> cache_;
  std::vector<std::int32_t> expected_;
};

}  // namespace

TEST_CASE("random programs on a cache: every element is right, and the budget is kept") {
  under_seeds(64, [seed = std::uint64_t{0}]() mutable {
    Program program{++seed};
    for (int i = 0; i < 100; ++i) program.step(false);
    program.finish();
  });
}

TEST_CASE("random programs on a cache, and calls of CUDA's fail: nothing is lost") {
  under_seeds(64, [seed = std::uint64_t{1000}]() mutable {
    ++seed;
    Program program{seed, seed % 3 == 0 ? 0 : of_host};
    for (int i = 0; i < 60; ++i) program.step(true);
    program.finish();
  });
}

TEST_CASE("each call of CUDA's fails in turn: what was written is in the store after a flush") {
  for (std::size_t k = 0;; ++k) {
    CAPTURE(k);
    emulation::seed(k % 16);
    bool has_failed = false;
    {
      DeviceQueue on{HostQueue{}}, other{HostQueue{}};
      auto const array = cached_array({64, 64}, on);
      auto expected = test::numbers_from<std::int32_t>(1, 64 * 64);
      ChunkCache const cache{array, {.device = 5 * cached_chunk, .host = 64 << 10}};
      std::vector<std::int32_t> fresh(16 * 64);
      auto const until_done = [&](auto&& f) {
        for (int tries = 0; tries < 3; ++tries) try {
            return f();
          } catch (Error const&) {
            if (!emulation::has_failed()) throw;
          }
      };
      emulation::fail(k);
      for (std::uint64_t row = 0; row < 64; row += 16) {
        for (auto& element : fresh)
          element = static_cast<std::int32_t>(row * 1000 + static_cast<std::uint64_t>(&element - fresh.data()));
        until_done([&] {
          for (std::uint64_t column = 0; column < 64; column += 32)
            for (auto chunk : cache.hold_for_writing<space::Host>({{row, row + 16}, {column, column + 32}}))
              for (std::uint64_t i = 0; i < 16; ++i)
                for (std::uint64_t j = 0; j < 16; ++j) chunk.view(i, j) = fresh[i * 64 + chunk.first[1] + j];
        });
        until_done([&] { (void)cache.on(other).hold({{row, row + 16}, {0, 64}}); });
        std::copy(fresh.begin(), fresh.end(), expected.begin() + static_cast<std::ptrdiff_t>(row * 64));
      }
      until_done([&] { (void)cache.hold<space::Host>({{0, 64}, {0, 32}}); });
      until_done([&] { cache.flush(); });
      has_failed = emulation::has_failed();
      emulation::fail_nothing();
      std::vector<std::int32_t> stored(64 * 64);
      array.through<space::Host>().read(all, stored);
      CHECK(stored == expected);
    }
    test::check_nothing_left();
    if (!has_failed) {
      CHECK(k > 30);
      break;
    }
  }
}

TEST_CASE("several threads, each with a queue of its own, on one cache") {
  under_seeds(16, [] {
    DeviceQueue on{HostQueue{}};
    auto const array = cached_array({128, 64}, on);
    ChunkCache const cache{array, {.device = 16 * cached_chunk, .host = 64 << 10}};
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (std::uint64_t t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        DeviceQueue own{HostQueue{}};
        auto const first = t * 32;
        for (int round = 0; round < 4; ++round)
          for (std::uint64_t half = 0; half < 2; ++half) {
            auto const row = first + half * 16;
            std::vector<std::int32_t> some(16 * 64,
                                           static_cast<std::int32_t>(t * 100 + static_cast<std::uint64_t>(round)));
            auto memory = test::on_device<std::int32_t, 2>(some, {16, 64}, own);
            cache.on(own).write({{row, row + 16}, all}, memory);
            cache.prefetch({{first, first + 16}, all});
            auto back = test::on_device<std::int32_t, 2>(std::vector<std::int32_t>(16 * 64), {16, 64}, own);
            cache.on(own).read({{row, row + 16}, all}, back);
            wrong += test::on_host(back, own) != some;
            std::vector<std::int32_t> here(16 * 64);
            cache.on(own).read({{row, row + 16}, all}, here);
            wrong += here != some;
            own.wait();
          }
      });
    for (auto& thread : threads) thread.join();
    CHECK(wrong == 0);
    cache.flush();
    std::vector<std::int32_t> stored(128 * 64);
    array.through<space::Host>().read(all, stored);
    for (std::uint64_t i = 0; i < stored.size(); ++i)
      REQUIRE(stored[i] == static_cast<std::int32_t>(i / 64 / 32 * 100 + 3));
  });
}

#endif

}  // namespace cache_random_programs_tests
