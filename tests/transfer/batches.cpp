// The executor: the number and sizes of mini-batches, how many of them run at once, progress reports, and the end.
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <functional>
#include <latch>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/bytes.hpp>
#include <support/refused.hpp>
#include <support/store_conformance.hpp>
#include <tessera/node/create.hpp>
#include <tessera/store/memory_store.hpp>

using namespace tessera;

namespace {

/// A MemoryStore that reports the key before each read and write of a chunk.
struct WatchedStore {
  using buffer_type = HostBuffer;
  MemoryStore<HostBuffer> inner{};
  std::shared_ptr<std::function<void(Key const&)>> seen = std::make_shared<std::function<void(Key const&)>>();

  void see(Key const& key) const {
    if (*seen && !key.path.ends_with("zarr.json")) (*seen)(key);
  }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Host> destination,
                                  test::HostQueue& on) const {
    see(key);
    return inner.read(key, range, destination, on);
  }
  void write(Key const& key, ByteView<space::Host> value, test::HostQueue& on) const {
    see(key);
    inner.write(key, value, on);
  }
  bool erase(Key const& key, test::HostQueue& on) const { return inner.erase(key, on); }
};

/// The inputs of a codec, call after call.
struct Log {
  std::mutex mutex;
  std::vector<std::size_t> sizes;

  void add(std::size_t size) {
    std::lock_guard lock{mutex};
    sizes.push_back(size);
  }
  std::vector<std::size_t> take() { return std::exchange(sizes, {}); }
};
Log calls;  // of all codecs: arrays make theirs from the document

/// A codec of batches that inverts every bit, and refuses chunks that begin with 7.
struct Inverting {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = "inverting";
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Host>;
  using Batch = std::span<CodecTask<space::Host>>;

  static Inverting from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  std::size_t encoded_bound(std::size_t n) const { return n; }
  void decode(Batch batch, test::HostQueue&) const { run(batch); }
  void encode(Batch batch, test::HostQueue&) const { run(batch); }

 private:
  void run(Batch batch) const {
    calls.add(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      auto const& task = batch[i];
      if (task.from.data[0] == std::byte{7}) throw CodecError{"a chunk that begins with 7"}.in_chunk(i);
      std::transform(task.from.data, task.from.data + task.from.size, task.to.data, [](std::byte b) { return ~b; });
      batch[i].size = task.from.size;
    }
  }
};

// 20 chunks of 8 elements; chunk i begins with 100 + i.
constexpr std::uint64_t chunks = 20, chunk = 8;

std::vector<std::uint8_t> elements() {
  std::vector<std::uint8_t> result(chunks * chunk);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<std::uint8_t>(100 + i / chunk + 3 * (i % chunk));
  return result;
}

struct Written {
  WatchedStore store{};
  test::HostQueue on;
  Array<std::uint8_t, 1, WatchedStore, Pipeline<space::Host, codec::Bytes, Inverting>> array;

  explicit Written(std::size_t threads = 1)
      : on{threads},
        array{create_array<std::uint8_t, 1>(store, "a", {.shape = {chunks * chunk}, .chunks = {chunk}},
                                            Pipeline<space::Host, codec::Bytes, Inverting>{}, on)} {
    array.write(all, elements());
    calls.take();
  }
  std::vector<std::uint8_t> read(ReadOptions const& options = {}) const {
    std::vector<std::uint8_t> to(chunks * chunk);
    array.read(all, to, options);
    return to;
  }
};

std::string key_of(std::uint64_t i) { return "a/c/" + std::to_string(i); }

using Sizes = std::vector<std::size_t>;

ResolvedChunk one_stage(std::size_t decoded, std::size_t encoded) {
  ResolvedChunk form;
  form.decoded_size = decoded;
  form.bounds = {decoded, encoded};
  return form;
}

}  // namespace

TEST_CASE("a codec is given as many chunks as were asked for, and every size of mini-batch has the same bytes") {
  Written const written;
  struct Case {
    std::size_t chunks, bytes;
    Sizes sizes;
  };
  for (auto const& row : std::vector<Case>{{1, 0, Sizes(20, 1)},
                                           {3, 0, {3, 3, 3, 3, 3, 3, 2}},
                                           {19, 0, {19, 1}},
                                           {every_chunk, 0, {20}},
                                           {0, 0, Sizes(4, 5)},  // so that every thread has four
                                           {0, 31, {3, 3, 3, 3, 3, 3, 2}},
                                           {0, 1, Sizes(20, 1)},
                                           {every_chunk, 80, {10, 10}},
                                           {5, 16, Sizes(10, 2)}}) {
    CAPTURE(row.chunks);
    CAPTURE(row.bytes);
    CHECK(written.read({.mini_batch = row.chunks, .mini_batch_bytes = row.bytes}) == elements());
    CHECK(calls.take() == row.sizes);
    for (std::uint64_t i = 0; i < chunks; ++i)
      written.store.inner.erase(Key{key_of(i)}, written.array.untyped().queue());
    written.array.write(all, elements(), {.mini_batch = row.chunks, .mini_batch_bytes = row.bytes});
    CHECK(calls.take() == row.sizes);
    CHECK(written.read() == elements());
    calls.take();
  }
}

TEST_CASE("how many chunks a mini-batch has when nothing is said: about a MiB, for every thread some") {
  struct Case {
    std::uint64_t bytes, chunks;
    std::size_t threads;
    std::uint64_t host, device;
  };
  for (auto const& row : std::vector<Case>{{1 << 20, 1000, 1, 1, 4},
                                           {1 << 18, 1000, 2, 4, 16},
                                           {(1 << 18) + 1, 1000, 2, 3, 15},
                                           {1 << 12, 100000, 2, 32, 1024},
                                           {1 << 12, 100, 2, 12, 12},
                                           {1 << 12, 3, 4, 1, 1},
                                           {1 << 30, 1000, 2, 1, 1},
                                           {0, 1000, 1, 32, 250},
                                           {1, 0, 1, 1, 1}}) {
    CAPTURE(row.bytes);
    CAPTURE(row.chunks);
    auto const form = one_stage(row.bytes, row.bytes + 9);
    auto const on_host = detail::batches_of(ReadOptions{}, row.chunks, form, row.threads, detail::usual_on_host);
    CHECK(on_host.size == row.host);
    CHECK(on_host.in_flight == row.threads);
    auto const on_device = detail::batches_of(WriteOptions{}, row.chunks, form, row.threads, detail::usual_on_device);
    CHECK(on_device.size == row.device);
    CHECK(on_device.in_flight == row.threads + 2);
  }
}

TEST_CASE("a budget makes mini-batches smaller, then fewer of them are under way") {
  auto const form = one_stage(4096, 4096);  // 12,800 bytes with the bookkeeping
  struct Case {
    std::uint64_t memory, size;
    std::size_t in_flight;
  };
  for (auto const& row : std::vector<Case>{{0, 32, 4},
                                           {std::uint64_t{1} << 40, 32, 4},
                                           {48 * 12800, 12, 4},
                                           {48 * 12800 - 1, 11, 4},
                                           {4 * 12800, 1, 4},
                                           {4 * 12800 - 1, 1, 3},
                                           {12800, 1, 1}}) {
    CAPTURE(row.memory);
    auto const batches = detail::batches_of(ReadOptions{.memory = row.memory}, 100000, form, 4, detail::usual_on_host);
    CHECK(batches.size == row.size);
    CHECK(batches.in_flight == row.in_flight);
    CHECK((row.memory == 0 || batches.size * batches.in_flight * 12800 <= row.memory));
  }
  test::check_refused<BudgetError>(
      [&] { detail::batches_of(ReadOptions{.memory = 12799}, 100000, form, 4, detail::usual_on_host); },
      {"a chunk takes 12800 bytes", "12799"});
}

TEST_CASE("a chunk above the budget: nothing is read or written") {
  Written const written;
  *written.store.seen = [](Key const& key) { FAIL_CHECK(key.path); };
  test::check_refused<BudgetError>([&] { written.read({.memory = 100}); }, {"a chunk takes", "the budget of 100"});
  test::check_refused<BudgetError>([&] { written.array.write(all, elements(), {.memory = 100}); },
                                      {"a chunk takes", "the budget of 100"});
  test::check_refused<BudgetError>(
      [&] {
        written.array.write({{1, 2}}, std::vector<std::uint8_t>(1), {.memory = 100});
      },
      {"a chunk takes", "the budget of 100"});
}

TEST_CASE("so many mini-batches are under way as threads can work on, and at most `in_flight`") {
  for (std::size_t threads : {1u, 2u, 3u, 4u})
    for (std::size_t in_flight : {0u, 1u, 2u, 3u, 9u}) {
      CAPTURE(threads);
      CAPTURE(in_flight);
      auto const expected = in_flight == 0 ? threads : std::min(threads, in_flight);
      Written const written{threads};
      std::latch meet{static_cast<std::ptrdiff_t>(expected)};
      std::atomic<std::size_t> reads{0}, now{0}, most{0};
      *written.store.seen = [&](Key const&) {
        auto const at_once = ++now;
        for (auto known = most.load(); known < at_once && !most.compare_exchange_weak(known, at_once);) {
        }
        if (reads++ < expected) meet.arrive_and_wait();  // no fewer than expected, otherwise this hangs
        --now;
      };
      CHECK(written.read({.mini_batch = 1, .in_flight = in_flight}) == elements());
      CHECK(most == expected);
      CHECK(reads == chunks);
    }
}

TEST_CASE("progress is told by one thread at a time, grows, and ends at all chunks") {
  for (std::size_t threads : {1u, 4u})
    for (std::size_t batch : {1u, 3u, 20u}) {
      CAPTURE(threads);
      CAPTURE(batch);
      Written const written{threads};
      int inside = 0;  // not atomic: ThreadSanitizer sees two threads at once
      std::vector<std::uint64_t> told;
      Progress const progress = [&](std::uint64_t done, std::uint64_t of) {
        CHECK(++inside == 1);
        CHECK(of == chunks);
        told.push_back(done);
        --inside;
      };
      auto const check = [&] {
        CHECK(told.size() == (chunks + batch - 1) / batch);
        CHECK(std::ranges::adjacent_find(told, std::greater_equal<>{}) == told.end());
        CHECK(told.back() == chunks);
        told.clear();
      };
      written.read({.mini_batch = batch, .progress = progress});
      check();
      written.array.write(all, elements(), {.mini_batch = batch, .progress = progress});
      check();
    }
}

TEST_CASE("what progress throws ends the work") {
  for (std::size_t threads : {1u, 3u}) {
    Written const written{threads};
    std::size_t told = 0, reads = 0;
    std::mutex mutex;
    *written.store.seen = [&](Key const&) {
      std::lock_guard lock{mutex};
      ++reads;
    };
    auto const progress = [&](std::uint64_t done, std::uint64_t) {
      ++told;
      if (done >= 4) throw std::runtime_error{"enough"};
    };
    CHECK_THROWS_WITH_AS(written.read({.mini_batch = 2, .progress = progress}), "enough", std::runtime_error);
    CHECK(told >= 2);
    CHECK(told < 2 + threads);  // those that were done already
    if (threads == 1) CHECK(reads == 4);
    CHECK(written.read() == elements());
  }
}

TEST_CASE("stopped before it begins: nothing is read or written") {
  Written const written{2};
  *written.store.seen = [](Key const& key) { FAIL_CHECK(key.path); };
  std::atomic<bool> const stop{true};
  CHECK_THROWS_AS(written.read({.stop = &stop}), Cancelled);
  CHECK_THROWS_AS(written.array.write(all, elements(), {.stop = &stop}), Cancelled);
  CHECK_THROWS_AS(written.array.write({{1, 2}}, std::vector<std::uint8_t>(1), {.stop = &stop}), Cancelled);
  *written.store.seen = {};
  CHECK(written.read() == elements());
}

TEST_CASE("stopped from progress: no mini-batch begins after it") {
  Written const written;
  std::atomic<bool> stop{false};
  std::vector<std::string> keys;
  *written.store.seen = [&](Key const& key) { keys.push_back(key.path); };
  Progress const progress = [&](std::uint64_t done, std::uint64_t) { stop = done >= 6; };
  CHECK_THROWS_AS(written.read({.mini_batch = 3, .stop = &stop, .progress = progress}), Cancelled);
  CHECK(keys.size() == 6);
  keys.clear();
  stop = false;
  CHECK_THROWS_AS(written.array.write(all, elements(), {.mini_batch = 3, .stop = &stop, .progress = progress}),
                  Cancelled);
  CHECK(keys == std::vector{key_of(0), key_of(1), key_of(2), key_of(3), key_of(4), key_of(5)});
  stop = false;
  CHECK(written.read({.stop = &stop}) == elements());
}

TEST_CASE("stopped by another thread while mini-batches are under way: they end, and no other begins") {
  for (std::size_t threads : {1u, 2u, 4u}) {
    CAPTURE(threads);
    Written const written{threads};
    std::atomic<bool> stop{false};
    std::latch begun{static_cast<std::ptrdiff_t>(threads)}, stopped{1};
    std::atomic<std::size_t> reads{0}, told{0};
    *written.store.seen = [&](Key const&) {
      ++reads;
      begun.arrive_and_wait();
      stopped.wait();
    };
    std::thread other{[&] {
      begun.wait();
      stop = true;
      stopped.count_down();
    }};
    CHECK_THROWS_AS(written.read({.mini_batch = 1, .stop = &stop, .progress = [&](auto, auto) { ++told; }}), Cancelled);
    other.join();
    CHECK(reads == threads);
    CHECK(told == threads);
    *written.store.seen = {};
    CHECK(written.read() == elements());
  }
}

TEST_CASE("of two errors the first is thrown, with its own key") {
  auto const fails = [](Key const& key) {
    if (key.path == key_of(4) || key.path == key_of(13)) throw StoreError{to_text({"no ", key.path})};
  };
  Written const written;
  *written.store.seen = fails;
  for (std::size_t batch : {std::size_t{1}, std::size_t{3}, every_chunk}) {
    test::check_refused<StoreError>([&] { written.read({.mini_batch = batch}); }, {"key \"a/c/4\"", "no a/c/4"});
    test::check_refused<StoreError>([&] { written.array.write(all, elements(), {.mini_batch = batch}); },
                                    {"key \"a/c/4\"", "no a/c/4"});
  }
  // Both in progress at once: one of the errors, with its own key.
  Written const both{2};
  std::latch meet{2};
  *both.store.seen = [&](Key const& key) {
    if (key.path == key_of(0) || key.path == key_of(10)) {
      meet.arrive_and_wait();
      throw StoreError{to_text({"no ", key.path})};
    }
  };
  try {
    both.read({.mini_batch = 10});
    FAIL_CHECK("nothing was thrown");
  } catch (StoreError const& error) {
    CHECK((error.key() == key_of(0) || error.key() == key_of(10)));
    CHECK(std::string{error.what()}.ends_with(to_text({"no ", error.key()})));
  }
}

TEST_CASE("a damaged chunk in the middle: mini-batches that had ended are placed, later ones are not") {
  Written const written;
  test::put(written.store.inner, key_of(9), "\x07.......");  // in a mini-batch with 8, 10 and 11
  std::vector<std::uint8_t> to(chunks * chunk, 0xdd);
  std::uint64_t told = 0;
  ReadOptions const options{.mini_batch = 4, .progress = [&](std::uint64_t done, std::uint64_t) { told = done; }};
  test::check_refused<CodecError>([&] { written.array.read(all, to, options); },
                                  {"key \"a/c/9\"", "codec inverting", "begins with 7"});
  CHECK(told == 8);
  auto const expected = elements();
  auto const is = [&](std::size_t i, auto const& same) {
    return std::equal(to.begin() + static_cast<std::ptrdiff_t>(i * chunk),
                      to.begin() + static_cast<std::ptrdiff_t>((i + 1) * chunk), same(i));
  };
  std::vector<std::uint8_t> const untouched(chunks * chunk, 0xdd);
  auto const read = [&](std::size_t i) { return expected.begin() + static_cast<std::ptrdiff_t>(i * chunk); };
  auto const left = [&](std::size_t i) { return untouched.begin() + static_cast<std::ptrdiff_t>(i * chunk); };
  for (std::size_t i = 0; i < chunks; ++i) {
    CAPTURE(i);
    if (i < 8) CHECK(is(i, read));
    if (i == 9 || i >= 12) CHECK(is(i, left));
    if (i >= 8 && i < 12) CHECK((is(i, read) || is(i, left)));
  }
}

TEST_CASE("a write that fails in the middle: each chunk is new or as it was") {
  Written const written;
  *written.store.seen = [](Key const& key) {
    if (key.path == key_of(9)) throw StoreError{"the line is down"};
  };
  std::vector<std::uint8_t> const later(chunks * chunk, 0x55);
  test::check_refused<StoreError>([&] { written.array.write(all, later, {.mini_batch = 4}); }, {"key \"a/c/9\""});
  *written.store.seen = {};
  auto const found = written.read(), before = elements();
  for (std::size_t i = 0; i < chunks; ++i) {
    CAPTURE(i);
    auto const first = static_cast<std::ptrdiff_t>(i * chunk), end = first + static_cast<std::ptrdiff_t>(chunk);
    bool const is_new = std::equal(found.begin() + first, found.begin() + end, later.begin());
    CHECK((is_new || std::equal(found.begin() + first, found.begin() + end, before.begin() + first)));
    if (i < 8) CHECK(is_new);
    if (i == 9 || i >= 12) CHECK(!is_new);
  }
}
