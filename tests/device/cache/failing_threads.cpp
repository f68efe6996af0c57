// A cache of the device whose threads, calls and stores all fail at once: nothing is lost, and at every turn it has the
// memory that it reports, within its budgets.
#include <atomic>
#include <barrier>
#include <memory>
#include <random>
#include <thread>

#include <tessera/store/wrapper_store.hpp>

#include <device/cache/cached.hpp>

namespace cache_failing_threads_tests {

#if defined(TESSERA_CUDA_EMULATION)

using namespace tessera;
using test::DeviceQueue, test::HostQueue, test::cached_chunk, test::under_seeds;

namespace {

// Every k-th call of it fails, in any thread, or in one.
struct Failing : MemoryStore<HostBuffer> {
  struct Calls {
    std::atomic<std::uint64_t> made{0}, failed{0}, every{~std::uint64_t{0}}, only{0};
  };
  std::shared_ptr<Calls> calls = std::make_shared<Calls>();

  void count(Key const& key) const {
    auto const number = calls->made.fetch_add(1) + 1;
    // One of `every` on average: in step with its calls, a lone thread would fail at each try.
    auto const mixed = (number * 0x9e3779b97f4a7c15u) >> 32;
    if (mixed % calls->every.load() != 0 && number != calls->only.load()) return;
    ++calls->failed;
    throw StoreError{"the disk is gone"}.in_key(key.path);
  }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> to, HostQueue& on) const {
    count(key);
    return MemoryStore::read(key, range, to, on);
  }
  void write(Key const& key, ByteView<space::Host> value, HostQueue& on) const {
    count(key);
    MemoryStore::write(key, value, on);
  }
  std::optional<Lent<space::Host>> lend(Key const& key, ByteRange range, HostQueue& on) const {
    count(key);
    return MemoryStore::lend(key, range, on);
  }
};

constexpr std::uint64_t threads = 3, rows_each = 64, columns = 80, rows = threads * rows_each;  // 60 chunks
auto array_in(Failing const& store, DeviceQueue const& on) {
  auto const array = create_array<std::int32_t, 2>(store, "a", {.shape = {rows, columns}, .chunks = {16, 16}},
                                                   test::Compressed{}, on);
  array.through<space::Host>().write(all, test::numbers_from<std::int32_t>(1, rows * columns));
  return array;
}
constexpr CacheBudget budget{.device = 24 * cached_chunk, .host = 64 << 10};

// A thread: it changes and checks rows of its own, and holds and prefetches them.
template <class Cache>
class Worker {
 public:
  Worker(Cache const& cache, std::uint64_t seed, std::uint64_t number)
      : cache_{cache},
        random_{seed * 10 + number},
        first_{number * rows_each},
        expected_(
            test::numbers_from<std::int32_t>(static_cast<std::int32_t>(1 + first_ * columns), rows_each * columns)) {}

  // Repeats something until it works.
  bool step() {
    auto const row = random_() % (rows_each - 1), column = random_() % (columns - 1);
    auto const height = 1 + random_() % std::min<std::uint64_t>(24, rows_each - row),
               width = 1 + random_() % std::min<std::uint64_t>(24, columns - column);
    Box const box{{first_ + row, first_ + row + height}, {column, column + width}};
    auto const what = random_() % 8;
    bool const on_host = random_() % 2 == 0;
    std::vector<std::int32_t> part(height * width);
    auto const element = [&](std::size_t i) -> std::int32_t& {
      return expected_[(row + i / width) * columns + column + i % width];
    };
    for (auto& one : part) one = static_cast<std::int32_t>(random_() % 100000);
    auto const run = [&] {
      if (what < 3) return on_host ? cache_.on(own_).write(box, part) : write(box, part, height, width);
      if (what < 6) return on_host ? cache_.on(own_).read(box, part) : read(box, part, height, width);
      if (what == 6) return on_host ? void(cache_.on(own_).template hold<space::Host>(box)) : void(cache_.on(own_).hold(box));
      return random_() % 2 == 0 ? void(cache_.write_back()) : cache_.prefetch(box);
    };
    if (!until_it_works(run)) return false;
    auto const found = cache_.statistics();
    bool right = found.device_bytes <= budget.device && found.host_bytes <= budget.host;
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (what < 3) element(i) = part[i];
      if (what >= 3 && what < 6) right = right && part[i] == element(i);
    }
    return right;
  }

  std::vector<std::int32_t> const& expected() const { return expected_; }
  DeviceQueue& queue() { return own_; }

  template <class F>
  static bool until_it_works(F&& f) {
    for (int tries = 0; tries < 1000; ++tries) try {
        f();
        return true;
      } catch (Error const&) {
      }
    return false;
  }

 private:
  void write(Box const& box, std::vector<std::int32_t> const& part, std::uint64_t height, std::uint64_t width) {
    auto memory = test::on_device<std::int32_t, 2>(part, {height, width}, own_);
    cache_.on(own_).write(box, memory);
    own_.wait();
  }
  void read(Box const& box, std::vector<std::int32_t>& part, std::uint64_t height, std::uint64_t width) {
    auto memory = test::on_device<std::int32_t, 2>(part, {height, width}, own_);
    cache_.on(own_).read(box, memory);
    part = test::on_host(memory, own_);
  }

  Cache const& cache_;
  std::mt19937_64 random_;
  std::uint64_t first_;
  std::vector<std::int32_t> expected_;
  DeviceQueue own_{HostQueue{}};
};

template <class Cache>
auto workers_on(Cache const& cache, std::uint64_t seed) {
  std::vector<std::unique_ptr<Worker<Cache>>> workers;
  for (std::uint64_t i = 0; i < threads; ++i) workers.push_back(std::make_unique<Worker<Cache>>(cache, seed, i));
  return workers;
}

template <class Cache, class Workers>
void check_stored(Cache const& cache, Workers const& workers) {
  cache.flush();
  std::vector<std::int32_t> stored(rows * columns), expected;
  cache.array().template through<space::Host>().read(all, stored);
  for (auto const& worker : workers)
    expected.insert(expected.end(), worker->expected().begin(), worker->expected().end());
  CHECK(stored == expected);
  CHECK(cache.statistics().dirty == 0);
  cache.clear();  // no room was lost
  CHECK(cache.statistics().device_bytes == 0);
  CHECK(cache.statistics().host_bytes == 0);
}

// Three threads on a cache, where the k-th call of CUDA, or of the store, fails. Returns whether one did.
bool fail_one(std::uint64_t k, bool of_store) {
  bool has_failed = false;
  {
    DeviceQueue on{HostQueue{2}};
    Failing const store;
    auto const array = array_in(store, on);
    ChunkCache const cache{array, budget, test::FirstRow{}};
    auto const workers = workers_on(cache, k);
    std::atomic<int> wrong{0};
    if (of_store)
      store.calls->only = store.calls->made + 1 + k;
    else
      emulation::fail(k);
    std::vector<std::thread> running;
    for (auto const& worker : workers)
      running.emplace_back([&wrong, &worker = *worker] {
        for (int i = 0; i < 2; ++i) wrong += !worker.step();
      });
    for (auto& thread : running) thread.join();
    has_failed = of_store ? store.calls->failed > 0 : emulation::has_failed();
    store.calls->only = 0;
    emulation::fail_nothing();
    CHECK(wrong == 0);
    CHECK(cache.statistics().held == 0);
    check_stored(cache, workers);
  }
  test::check_nothing_left();
  return has_failed;
}

}  // namespace

TEST_CASE("threads on a cache, and each call of CUDA's and of the store fails in turn: nothing is lost") {
  for (bool const of_store : {false, true}) {
    CAPTURE(of_store);
    std::uint64_t k = 0, has_not = 0;
    for (; has_not < 5; ++k) {  // the number of calls depends on the threads
      CAPTURE(k);
      emulation::seed(k % 16);
      has_not = fail_one(k, of_store) ? 0 : has_not + 1;
    }
    MESSAGE(k << " calls");
    CHECK(k > 10);
  }
}

TEST_CASE(
    "threads on a cache, and every k-th call of CUDA's and of the store fails: nothing is lost, the budgets are kept") {
  std::uint64_t device_failures = 0, store_failures = 0;
  under_seeds(16, [&, seed = std::uint64_t{0}]() mutable {
    ++seed;
    CAPTURE(seed);
    DeviceQueue on{HostQueue{2}};
    Failing const store;
    auto const array = array_in(store, on);
    ChunkCache const cache{array, budget, test::FirstRow{}};
    auto const workers = workers_on(cache, seed);
    auto const taken = [&] {
      on.trim();
      for (auto const& worker : workers) worker->queue().trim();
      return emulation::alive();
    };
    auto const before = taken();
    std::atomic<int> wrong{0};
    auto const breaking = [&](bool breaks) {
      store.calls->every = breaks ? 7 + seed % 5 : ~std::uint64_t{0};
      device_failures += emulation::has_failed();
      breaks ? emulation::fail(3 + seed * 7 % 60) : emulation::fail_nothing();
    };
    // At each turn one thread checks, while the others wait.
    std::barrier turn{static_cast<std::ptrdiff_t>(threads), [&]() noexcept {
                        breaking(false);
                        auto const now = taken();
                        auto const says = cache.statistics();
                        wrong += now.bytes - before.bytes != says.device_bytes + says.host_bytes;
                        wrong += now.page_locked - before.page_locked != says.host_bytes;
                        wrong += says.device_bytes > budget.device || says.host_bytes > budget.host || says.held != 0;
                        breaking(true);
                      }};
    std::vector<std::thread> running;
    for (auto const& worker : workers)
      running.emplace_back([&, &worker = *worker] {
        for (int round = 0; round < 12; ++round) {
          turn.arrive_and_wait();
          for (int i = 0; i < 4; ++i) wrong += !worker.step();
        }
      });
    for (auto& thread : running) thread.join();
    breaking(false);
    store_failures += store.calls->failed;
    CHECK(wrong == 0);
    check_stored(cache, workers);
  });
  CHECK(device_failures > 16);
  CHECK(store_failures > 16);
}

#endif

}  // namespace cache_failing_threads_tests
