// Budgets hold at every moment, not only when somebody looks: the machine has no byte more than they allow, beside what
// reads take that are under way, and is never asked for one.
#include <atomic>
#include <random>
#include <thread>

#include <device/cache/cached.hpp>

namespace cache_budgets_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::cached_chunk, test::under_seeds;

namespace {

constexpr std::uint64_t rows = 128, columns = 160;  // 80 chunks, which are in device memory as they are
constexpr std::size_t threads = 3;
// What the threads hold at once, in two boxes of four chunks each, and two to bring others to the host.
constexpr CacheBudget budget{.device = (threads * 8 + 2) * cached_chunk, .host = 64 << 10};
constexpr std::uint64_t of_reads = 16 * cached_chunk;  // on the device; page-locked memory they need none

// Takes what memory the machine has beyond the budgets.
struct Rest {
  DeviceBuffer device;
  PinnedBuffer host;
  explicit Rest(DeviceQueue& on)
      : device{left(emulation::Machine{}.memory, emulation::alive().bytes - emulation::alive().page_locked,
                    budget.device + of_reads),
               on},
        host{left(emulation::Machine{}.page_locked, emulation::alive().page_locked, budget.host), on} {}
  static std::size_t left(std::size_t whole, std::size_t taken, std::size_t most) { return whole - taken - most; }
};

template <class S, class Cache>
bool hold_some(Cache const& cache, std::mt19937_64& random, DeviceQueue& on) {
  auto const box = [&] {
    auto const row = random() % (rows / 16 - 1) * 16, column = random() % (columns / 16 - 1) * 16;
    return Box{{row, row + 16 * (1 + random() % 2)}, {column, column + 16 * (1 + random() % 2)}};
  };
  auto const held = cache.template hold<S>(box(), on);
  auto const* const where = held[0].view.data;
  auto const others = cache.hold(box(), on);  // which may send away all but the held ones
  auto const found = cache.statistics();
  bool right = held[0].view.data == where && found.device_bytes <= budget.device && found.host_bytes <= budget.host;
  for (auto const chunk : held)
    right = right && test::elements_of(chunk, {16, 16}, on) == test::expected_of(chunk, columns);
  return right;
}

}  // namespace

TEST_CASE("threads on a cache of a machine that has no more memory than the budgets: none is refused, none is moved") {
  under_seeds(8, [seed = std::uint64_t{0}]() mutable {
    ++seed;
    DeviceQueue on{HostQueue{}};
    std::vector<DeviceQueue> queues;
    for (std::size_t i = 0; i < threads; ++i) queues.emplace_back(HostQueue{});
    auto const array = create_array<std::int32_t, 2>(
        test::in_device_memory(), "a", {.shape = {rows, columns}, .chunk_shape = {16, 16}}, test::OnDevice{}, on);
    {
      auto const numbers = test::numbers_from<std::int32_t>(1, rows * columns);
      array.write(all, test::on_device<std::int32_t, 2>(numbers, {rows, columns}, on)).wait();
    }
    on.trim();
    ChunkCache const cache{array, budget, KeepEverywhere{}, {.read = {.mini_batch = 1}}};
    Rest const rest{on};
    emulation::Watch const watch;
    std::atomic<int> wrong{0};
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < threads; ++i)
      running.emplace_back([&, i] {
        std::mt19937_64 random{seed * threads + i};
        for (int step = 0; step < 20; ++step)
          wrong += !(step % 3 == 0 ? hold_some<space::Host>(cache, random, queues[i])
                                   : hold_some<space::Device>(cache, random, queues[i]));
      });
    for (auto& thread : running) thread.join();
    CHECK(wrong == 0);
    std::size_t refused = 0;
    for (auto const& call : watch.calls()) refused += call.result == cudaErrorMemoryAllocation;
    CHECK(refused == 0);
    CHECK(cache.statistics().spills > 0);
    CHECK_THROWS_AS((DeviceBuffer{of_reads + 1, on}), OutOfMemory);  // the machine would have refused it
  });
}

#endif

}  // namespace cache_budgets_tests
