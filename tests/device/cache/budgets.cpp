// Budgets hold at every moment, not only when a test looks: the machine has exactly the memory of the budgets, besides
// that of reads in progress, and is never asked for more. If every chunk was read before, it has no more.
#include <atomic>
#include <random>
#include <thread>

#include <device/cache/cached.hpp>

namespace cache_budgets_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::cached_chunk, test::under_seeds;

namespace {

constexpr std::uint64_t rows = 128, columns = 160;  // 80 chunks, which are in device memory unencoded
constexpr std::size_t threads = 3;
// Memory that the threads hold at once, in two boxes of four chunks each, and two to copy others to the host.
constexpr CacheBudget budget{.device = (threads * 8 + 2) * cached_chunk, .host = 64 << 10};
constexpr std::uint64_t of_reads = 16 * cached_chunk;  // on the device; they need no page-locked memory

// Allocates the machine's memory beyond the budgets.
struct Rest {
  DeviceBuffer device;
  PinnedBuffer host;
  // `taken`: without the cache.
  Rest(emulation::Alive const& taken, std::uint64_t beside, DeviceQueue& on)
      : device{left(emulation::Machine{}.memory, taken.bytes - taken.page_locked, budget.device + beside), on},
        host{left(emulation::Machine{}.page_locked, taken.page_locked, budget.host), on} {}
  static std::size_t left(std::size_t whole, std::size_t taken, std::size_t most) { return whole - taken - most; }
};

template <class S, class Cache>
bool hold_some(Cache const& cache, std::mt19937_64& random, DeviceQueue& on) {
  auto const box = [&] {
    auto const row = random() % (rows / 16 - 1) * 16, column = random() % (columns / 16 - 1) * 16;
    return Box{{row, row + 16 * (1 + random() % 2)}, {column, column + 16 * (1 + random() % 2)}};
  };
  auto const held = cache.on(on).template hold<S>(box());
  auto const* const where = held[0].view.data;
  auto const others = cache.on(on).hold(box());  // which may evict all but the held ones
  auto const found = cache.statistics();
  bool right = held[0].view.data == where && found.device_bytes <= budget.device && found.host_bytes <= budget.host;
  for (auto const chunk : held)
    right = right && test::elements_of(chunk, {16, 16}, on) == test::expected_of(chunk, columns);
  return right;
}

// If chunks are `known`, the cache has read all of them before, and has room for them: they spill and return.
void check_budgets(bool known) {
  under_seeds(8, [known, seed = std::uint64_t{0}]() mutable {
    ++seed;
    std::uint64_t const beside = known ? 0 : of_reads;
    DeviceQueue on{HostQueue{}};
    std::vector<DeviceQueue> queues;
    for (std::size_t i = 0; i < threads; ++i) queues.emplace_back(HostQueue{});
    auto const array = create_array<std::int32_t, 2>(
        test::in_device_memory(), "a", {.shape = {rows, columns}, .chunks = {16, 16}}, test::OnDevice{}, on);
    {
      auto const numbers = test::numbers_from<std::int32_t>(1, rows * columns);
      array.write(all, test::on_device<std::int32_t, 2>(numbers, {rows, columns}, on)).wait();
    }
    on.trim();
    auto const taken = emulation::alive();
    ChunkCache const cache{array, budget, KeepEverywhere{}, {.read = {.mini_batch = 1}}};
    for (std::uint64_t row = 0; known && row < rows; row += 16) (void)cache.hold({{row, row + 16}, all});
    on.trim();
    Rest const rest{taken, beside, on};
    emulation::Watch const watch;
    std::atomic<int> wrong{0};
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < threads; ++i)
      running.emplace_back([&, i] {
        std::mt19937_64 random{seed * threads + i};
        for (int step = 0; step < 20; ++step) try {
            wrong += !(step % 3 == 0 ? hold_some<space::Host>(cache, random, queues[i])
                                     : hold_some<space::Device>(cache, random, queues[i]));
          } catch (OutOfMemory const&) {
            ++wrong;
          }
      });
    for (auto& thread : running) thread.join();
    CHECK(wrong == 0);
    std::size_t refused = 0;
    for (auto const& call : watch.calls()) refused += call.result == cudaErrorMemoryAllocation;
    CHECK(refused == 0);
    auto const found = cache.statistics();
    CHECK(found.spills > 0);
    if (known) CHECK(found.misses == rows / 16 * columns / 16);
    CHECK(found.device_bytes == budget.device);
    CHECK_THROWS_AS((DeviceBuffer{beside + 1, on}), OutOfMemory);  // the machine would have refused it
  });
}

}  // namespace

TEST_CASE("threads on a cache of a machine that has no more memory than the budgets: none is refused, none is moved") {
  check_budgets(false);
}

TEST_CASE("chunks spill and return on a machine that has not a byte more than the budgets") { check_budgets(true); }

#endif

}  // namespace cache_budgets_tests
