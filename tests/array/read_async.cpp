// read_async and write_async: against blocking reads, with many in flight, cancelled, damaged, and in coroutines.
#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// clang++ 14 with UndefinedBehaviorSanitizer: "Cannot represent a difference across sections", of any coroutine.
#if defined(__cpp_impl_coroutine) && !(defined(__clang__) && __clang_major__ < 15)
#define TEST_COROUTINES
#include <coroutine>
#endif

#include <doctest/doctest.h>

#include <support/random.hpp>
#include <support/refused.hpp>
#include <tessera/array/read_async.hpp>
#include <tessera/array/strings.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;
using test::check_refused, test::Random;
using HostQueue = Queue<space::Host>;

namespace read_async_tests {

using Memory = MemoryStore<HostBuffer>;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
using Shards = codec::Sharding<Zstd>;

namespace {

auto numbered(Memory const& store, HostQueue const& on) {
  auto const array = create_array<std::int32_t, 2>(
      store, "a", {.shape = {120, 90}, .shards = {40, 30}, .chunks = {10, 15}}, Zstd{}, on);
  std::vector<std::int32_t> elements(120 * 90);
  std::iota(elements.begin(), elements.end(), 1);
  array.write(all, elements);
  return array;
}

// A read does not end before `expected` of them have begun.
struct Meeting {
  std::mutex mutex{};
  std::condition_variable changed{};
  std::size_t expected = 0, here = 0;

  void meet() {
    std::unique_lock lock{mutex};
    if (++here >= expected) changed.notify_all();
    changed.wait(lock, [&] { return here >= expected; });
  }
};
struct MeetingStore {
  using Space = space::Host;
  using buffer_type = HostBuffer;
  Memory values{};
  std::shared_ptr<Meeting> meeting = std::make_shared<Meeting>();

  std::string name() const { return "meeting"; }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> to, HostQueue& on) const {
    if (key.path.find("/c/") != key.path.npos) meeting->meet();
    return values.read(key, range, to, on);
  }
  void write(Key const& key, ByteView<Space> value, HostQueue& on) const { values.write(key, value, on); }
  bool erase(Key const& key, HostQueue& on) const { return values.erase(key, on); }
};

}  // namespace

TEST_CASE("a thousand reads in flight have the elements of blocking ones") {
  for (std::uint64_t const seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    Random random{seed};
    auto const array = numbered(Memory{}, HostQueue{seed});
    std::vector<Box> boxes;
    std::vector<std::vector<std::int32_t>> found;
    std::vector<Pending> reads;
    for (int i = 0; i < 1000; ++i) {
      auto const x = random(0, 119), y = random(0, 89);
      auto const nx = random(1, 120 - x), ny = random(1, 90 - y);
      boxes.push_back({{x, x + nx}, {y, y + ny}});
      found.emplace_back(nx * ny);
    }
    for (std::size_t i = 0; i < boxes.size(); ++i) reads.push_back(read_async(array, boxes[i], found[i]));
    std::size_t wrong = 0;
    while (!reads.empty()) {  // in any order, some by polling, some dropped
      auto const i = random(0, reads.size() - 1);
      std::swap(reads[i], reads.back()), std::swap(boxes[i], boxes[reads.size() - 1]);
      std::swap(found[i], found[reads.size() - 1]);
      if (random.one_in(3))
        while (!reads.back().is_done()) std::this_thread::yield();
      else if (random.one_in(2))
        reads.back().wait();
      reads.pop_back();
      auto const expected = array.read(boxes[reads.size()]);
      wrong += !std::equal(found.back().begin(), found.back().end(), expected.data());
      boxes.pop_back(), found.pop_back();
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("reads that wait for a store are in progress at the same time, as many as the queue has threads") {
  MeetingStore const store;
  auto const array = create_array<std::uint8_t, 1>(store, "a", {.shape = {3}, .chunks = {1}}, {}, HostQueue{3});
  array.write(all, std::vector<std::uint8_t>{1, 2, 3});
  store.meeting->expected = 3, store.meeting->here = 0;
  std::array<std::array<std::uint8_t, 1>, 3> found{};
  {
    auto const one = read_async(array, {0}, found[0]), two = read_async(array, {1}, found[1]),
               three = read_async(array, {2}, found[2]);
  }
  CHECK(found == std::array<std::array<std::uint8_t, 1>, 3>{{{1}, {2}, {3}}});
}

TEST_CASE("a queue of one thread reads before read_async returns") {
  auto const array = numbered(Memory{}, HostQueue{});
  std::vector<std::int32_t> found(90);
  auto const read = read_async(array, {1, all}, found);
  CHECK(read.is_done());
  CHECK(found[0] == 91);
}

TEST_CASE("an array written in parts at once, selections of all kinds, and strings") {
  Memory const store;
  auto const array =
      create_array<std::int32_t, 2>(store, "b", {.shape = {64, 64}, .chunks = {24, 24}}, Zstd{}, HostQueue{3});
  std::vector<std::vector<std::int32_t>> rows(64, std::vector<std::int32_t>(64));
  std::vector<Pending> writes;
  for (std::int32_t i = 0; i < 64; ++i) {
    std::iota(rows[std::size_t(i)].begin(), rows[std::size_t(i)].end(), i * 64);
    writes.push_back(write_async(array, {i, all}, rows[std::size_t(i)]));
  }
  for (auto& write : writes) write.wait();
  std::vector<std::int32_t> whole(64 * 64), expected(64 * 64), points(2), lists(6);
  std::iota(expected.begin(), expected.end(), 0);
  auto read = read_async(array, all, whole);
  auto of_points = read_async(array, Points{std::vector{3, 63}, std::vector{4, 0}}, points);
  auto of_lists = read_async(array, Orthogonal{std::vector{5, 1}, std::vector{0, 2, 63}}, lists);
  read.wait(), of_points.wait(), of_lists.wait();
  CHECK(whole == expected);
  CHECK(points == std::vector{3 * 64 + 4, 63 * 64});
  CHECK(lists == std::vector{320, 322, 383, 64, 66, 127});

  auto const words = create_array<std::string, 1>(store, "s", {.shape = {3}, .chunks = {2}}, {}, HostQueue{2});
  std::vector<std::string> const written{"one", "", "three"};
  write_async(words, all, written).wait();
  std::vector<std::string> said(3);
  read_async(words, all, said).wait();
  CHECK(said == written);
}

TEST_CASE("errors of the call are thrown at once, errors of the work by wait, with the key") {
  Memory const store;
  auto const array = numbered(store, HostQueue{2});
  std::vector<std::int32_t> memory(120 * 90), few(3), row(90);
  check_refused<SelectionError>([&] { (void)read_async(array, {120, all}, row); }, {"key \"a/zarr.json\"", "120"});
  check_refused<SelectionError>([&] { (void)read_async(array, all, few); }, {"key \"a/zarr.json\"", "3"});
  HostQueue on;
  std::vector<std::byte> const damage(50, std::byte{1});
  store.write({"a/c/1/2"}, ByteView<space::Host>{damage.data(), damage.size()}, on);
  auto damaged = read_async(array, all, memory);
  auto whole = read_async(array, {0, all}, row);
  check_refused<CodecError>([&] { damaged.wait(); }, {"key \"a/c/1/2\""});
  CHECK(damaged.is_done());
  whole.wait();
  CHECK(row[89] == 90);
  (void)read_async(array, all, memory).is_done();  // the destructor drops the error
}

TEST_CASE("a read is cancelled at any time: it throws Cancelled or has read all") {
  auto const array = numbered(Memory{}, HostQueue{2});
  std::size_t cancelled = 0, wrong = 0;
  for (std::size_t round = 0; round < 300; ++round) {
    std::atomic<bool> stop{round % 3 == 0};
    std::array<std::vector<std::int32_t>, 2> memory;
    std::array<Pending, 2> reads;
    for (std::size_t i = 0; i < 2; ++i) {
      memory[i].resize(120 * 90);
      reads[i] = read_async(array, all, memory[i], {.stop = &stop});
    }
    for (std::size_t i = 0; i < round; ++i) (void)reads[0].is_done();
    stop = true;
    for (std::size_t i = 0; i < 2; ++i) try {
        reads[i].wait();
        wrong += memory[i][0] != 1 || memory[i].back() != 120 * 90;
      } catch (Cancelled const&) {
        ++cancelled;
      }
  }
  CHECK(wrong == 0);
  CHECK(cancelled >= 200);  // those that were stopped before they began
}

TEST_CASE("a thousand reads in flight over two threads, cancelled at random") {
  for (std::uint64_t const seed : {1u, 2u, 3u}) {
    CAPTURE(seed);
    Random random{seed};
    auto const array = numbered(Memory{}, HostQueue{2});
    std::vector<std::atomic<bool>> stop(1000);
    std::vector<std::vector<std::int32_t>> memory(1000);
    std::vector<Pending> reads;
    for (std::size_t i = 0; i < 1000; ++i) {
      memory[i].resize(90 * (120 - i % 120));
      reads.push_back(read_async(array, {Slice{i % 120, 120}, all}, memory[i], {.stop = &stop[i]}));
      if (random.one_in(2)) stop[random(0, i)] = true;  // it may have ended
    }
    std::thread canceller{[&] {
      Random which{seed + 100};
      for (int i = 0; i < 300; ++i) stop[which(0, 999)] = true, std::this_thread::yield();
    }};
    std::size_t cancelled = 0, whole = 0;
    for (std::size_t i = 0; i < 1000; ++i) try {
        reads[i].wait();
        auto const first = static_cast<std::int32_t>(i % 120 * 90 + 1);
        whole += memory[i].front() == first && memory[i].back() == 120 * 90;
      } catch (Cancelled const&) {
        cancelled += stop[i];
      }
    canceller.join();
    CHECK(cancelled + whole == 1000);
    CHECK((cancelled > 0 && whole > 0));
  }
}

TEST_CASE("tasks of a queue may wait for reads that the queue has not begun") {
  HostQueue on{3};
  auto const array = numbered(Memory{}, on);
  std::atomic<std::size_t> right{0};
  on.for_each(50, [&](std::size_t i) {
    std::vector<std::int32_t> row(90);
    read_async(array, {i, all}, row).wait();
    right += row[0] == static_cast<std::int32_t>(i * 90 + 1);
  });
  CHECK(right == 50);
}

TEST_CASE("a Pending outlives the array and its queue") {
  std::vector<std::int32_t> memory(120 * 90);
  Pending read;
  {
    auto const array = numbered(Memory{}, HostQueue{3});
    read = read_async(array, all, memory);
  }
  read.wait();
  CHECK(memory.back() == 120 * 90);
}

#if defined(TEST_COROUTINES)

// A coroutine whose end its caller waits for.
struct Run {
  struct Last;
  struct promise_type {
    std::atomic<bool> done{false};
    std::exception_ptr error{};
    Run get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    Last final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };
  struct Last : std::suspend_always {
    void await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
      auto& done = ended.promise().done;
      done = true, done.notify_all();
    }
  };
  std::coroutine_handle<promise_type> of;

  void wait() const {
    of.promise().done.wait(false);
    auto const error = of.promise().error;
    of.destroy();
    if (error) std::rethrow_exception(error);
  }
};

// Its array is the last handle of the queue, and is destroyed in one of the queue's threads.
Run copy_rows(auto array, std::vector<std::int32_t>& to, std::size_t& read) {
  std::vector<std::int32_t> row(90);
  for (std::size_t i = 0; i < 120; ++i) {
    auto reading = read_async(array, {i, all}, row);  // g++ 12 refuses a list in braces within co_await
    co_await reading;
    std::copy(row.begin(), row.end(), to.begin() + static_cast<std::ptrdiff_t>(i * 90));
    ++read;
  }
  auto last = std::move(array);
}

TEST_CASE("a coroutine that waits may be destroyed: the work ends without it") {
  Queue<space::Host> const queue{2};
  std::atomic<bool> go{false};
  std::array<std::atomic<bool>, 2> begun{};
  std::atomic<int> ran{0};
  std::size_t resumed = 0;
  auto const slow = [&](std::size_t i) {
    begun[i] = true, begun[i].notify_all();
    go.wait(false);
    ++ran;
  };
  auto outside = queue.start([&] { slow(0); }), another = queue.start([&] { slow(1); });
  for (auto& each : begun) each.wait(false);  // both threads of the queue are busy
  auto const wait_for = [](Pending& pending, std::size_t& after) -> Run {
    std::string const held(100, 'x');
    co_await pending;
    after += held.size();
  };
  auto const own = [](Pending pending, std::size_t& after) -> Run {
    co_await pending;
    ++after;
  };
  wait_for(outside, resumed).of.destroy();
  own(queue.start([&] { ++ran; }), resumed).of.destroy();  // it runs here: no thread has begun it
  CHECK(ran == 1);
  go = true, go.notify_all();
  outside.wait();
  another.wait();
  CHECK(ran == 3);
  CHECK(resumed == 0);
}

TEST_CASE("a coroutine awaits one read after the other, and its error") {
  std::vector<std::int32_t> found(120 * 90), expected(120 * 90);
  std::iota(expected.begin(), expected.end(), 1);
  for (std::size_t const threads : {1u, 2u, 3u}) {
    std::size_t read = 0;
    copy_rows(numbered(Memory{}, HostQueue{threads}), found, read).wait();
    CHECK(found == expected);
    CHECK(read == 120);

    Memory const store;
    auto array = numbered(store, HostQueue{threads});
    HostQueue on;
    std::vector<std::byte> const damage(50, std::byte{1});
    store.write({"a/c/1/2"}, ByteView<space::Host>{damage.data(), damage.size()}, on);
    read = 0;
    auto const damaged = copy_rows(array, found, read);
    check_refused<CodecError>([&] { damaged.wait(); }, {"key \"a/c/1/2\""});
    CHECK(read == 40);
  }
}

#else
TEST_CASE("coroutines") { MESSAGE("not run: this compiler has no coroutines of C++20, or fails to compile them"); }
#endif

}  // namespace read_async_tests
