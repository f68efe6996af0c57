#include <algorithm>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <tessera/memory/queue.hpp>

using namespace tessera;

using HostQueue = Queue<space::Host>;

TEST_CASE("for_each runs every index once") {
  for (std::size_t threads : {1u, 2u, 3u, 4u}) {
    HostQueue queue{threads};
    for (std::size_t n : {0u, 1u, 2u, 3u, 7u, 1000u}) {
      CAPTURE(threads);
      CAPTURE(n);
      std::vector<std::atomic<int>> runs(n);
      queue.for_each(n, [&](std::size_t i) { ++runs[i]; });
      std::size_t once = 0;
      for (auto const& r : runs) once += r == 1;
      CHECK(once == n);
    }
  }
}

TEST_CASE("map gives what each call returns, in the order of the indices") {
  for (std::size_t const threads : {1u, 4u}) {
    Queue<space::Host> on{threads};
    auto const squares = on.map(100, [](std::size_t i) { return i * i; });
    static_assert(std::is_same_v<decltype(squares), std::vector<std::size_t> const>);
    REQUIRE(squares.size() == 100);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 100; ++i) wrong += squares[i] != i * i;
    CHECK(wrong == 0);
    auto const even = on.map(100, [](std::size_t i) { return i % 2 == 0; });  // of bools, which share words
    CHECK(std::count(even.begin(), even.end(), true) == 50);
    auto const owned = on.map(3, [](std::size_t i) { return std::make_unique<std::size_t>(i); });
    CHECK(*owned[2] == 2);
    CHECK(on.map(0, [](std::size_t) { return 1; }).empty());
    CHECK_THROWS_AS(on.map(4, [](std::size_t i) { return i == 2 ? throw std::runtime_error{"two"} : i; }),
                    std::runtime_error);
  }
}

TEST_CASE("an inline queue runs in order, in the calling thread") {
  HostQueue queue;
  CHECK(queue.threads() == 1);
  CHECK(HostQueue{0}.threads() == 1);
  std::vector<std::size_t> order;
  std::set<std::thread::id> threads;
  queue.for_each(5, [&](std::size_t i) { order.push_back(i), threads.insert(std::this_thread::get_id()); });
  CHECK(order == std::vector<std::size_t>{0, 1, 2, 3, 4});
  CHECK(threads == std::set{std::this_thread::get_id()});
}

TEST_CASE("a pool works with as many threads as it was given, the caller's among them") {
  HostQueue queue{3};
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<int> here{0};
  queue.for_each(3, [&](std::size_t) {  // none ends before all three have begun: three threads are needed
    {
      std::lock_guard lock{mutex};
      threads.insert(std::this_thread::get_id());
    }
    ++here;
    while (here < 3) std::this_thread::yield();
  });
  CHECK(threads.size() == 3);
  CHECK(threads.contains(std::this_thread::get_id()));
}

TEST_CASE("for_each may be called from a task of the same queue") {
  for (std::size_t pool : {1u, 2u, 4u}) {
    CAPTURE(pool);
    HostQueue queue{pool};
    std::atomic<int> leaves{0};
    queue.for_each(8, [&](std::size_t) {
      queue.for_each(8, [&](std::size_t) { queue.for_each(8, [&](std::size_t) { ++leaves; }); });
    });
    CHECK(leaves == 512);
  }
}

static int descend(HostQueue& queue, int depth) {
  std::atomic<int> leaves{0};
  queue.for_each(2, [&](std::size_t) { leaves += depth == 0 ? 1 : descend(queue, depth - 1); });
  return leaves;
}

TEST_CASE("for_each nests deep") {
  HostQueue queue{3};
  CHECK(descend(queue, 9) == 1024);
}

TEST_CASE("many threads share one queue") {
  HostQueue queue{2};
  std::atomic<int> runs{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&runs, queue]() mutable {
      for (int k = 0; k < 50; ++k) queue.for_each(10, [&](std::size_t) { ++runs; });
    });
  for (auto& thread : threads) thread.join();
  CHECK(runs == 2000);
}

TEST_CASE("the first exception reaches the caller with its type, no call begins after it, and the queue goes on") {
  for (std::size_t pool : {1u, 2u, 4u}) {
    CAPTURE(pool);
    HostQueue queue{pool};
    std::atomic<std::size_t> calls{0};
    auto fail = [&](std::size_t i) {
      ++calls;
      throw std::out_of_range{std::to_string(i)};
    };
    CHECK_THROWS_AS(queue.for_each(1000, fail), std::out_of_range);
    CHECK(calls <= pool);  // a thread that has seen it fail begins no other call
    CHECK(calls >= 1);
    std::atomic<int> after{0};
    queue.for_each(10, [&](std::size_t) { ++after; });
    CHECK(after == 10);
  }
}

TEST_CASE("an exception in a nested for_each passes through the outer one") {
  HostQueue queue{2};
  auto nested = [&] {
    queue.for_each(4, [&](std::size_t) {
      queue.for_each(4, [](std::size_t i) {
        if (i == 2) throw 5;
      });
    });
  };
  CHECK_THROWS_AS(nested(), int);
}

TEST_CASE("copies are the same queue, and keep it alive") {
  std::vector<int*> objects;
  HostQueue copy;
  {
    HostQueue queue{2};
    copy = queue;
    CHECK(copy.threads() == 2);
    objects.push_back(&*queue.lease<int>());
  }
  CHECK(&*copy.lease<int>() == objects[0]);
  std::atomic<int> runs{0};
  copy.for_each(10, [&](std::size_t) { ++runs; });
  CHECK(runs == 10);
}

TEST_CASE("a host queue is its own host queue") {
  HostQueue queue;
  CHECK(&queue.host() == &queue);
  CHECK(&queue_in<space::Host>(queue) == &queue);
}

namespace {

// The number of threads of this process; 0, if the system does not tell.
std::size_t threads_now() {
  std::error_code none;
  std::filesystem::directory_iterator const all{"/proc/self/task", none};
  return none ? 0 : static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

TEST_CASE("a pool starts its threads at the first for_each that can use them, and they end with the last handle") {
  if (threads_now() == 0) {
    MESSAGE("not run: the system does not say how many threads there are");
    return;
  }
  HostQueue warm{2};  // a sanitizer may start a thread of its own with the first
  warm.for_each(2, [](std::size_t) {});
  auto const before = threads_now();
  {
    HostQueue queue{4}, inline_queue;
    auto const lease = queue.lease<int>();
    queue.for_each(0, [](std::size_t) {});
    queue.for_each(1, [](std::size_t) {});
    inline_queue.for_each(100, [](std::size_t) {});
    CHECK(threads_now() == before);
    queue.for_each(2, [](std::size_t) {});
    CHECK(threads_now() == before + 3);
    queue.for_each(1000, [&](std::size_t) { queue.for_each(3, [](std::size_t) {}); });
    HostQueue const copy = queue;
    CHECK(threads_now() == before + 3);
  }
  // A thread that was joined may be seen for a moment.
  for (int i = 0; i < 1'000'000 && threads_now() != before; ++i) std::this_thread::yield();
  CHECK(threads_now() == before);
}

TEST_CASE("the exception of a task in another thread reaches the thread that waits") {
  HostQueue queue{2};
  auto const caller = std::this_thread::get_id();
  for (int i = 0; i < 20; ++i) {
    std::atomic<int> here{0};
    try {
      queue.for_each(2, [&](std::size_t) {
        ++here;
        while (here < 2) std::this_thread::yield();  // one is the caller's, one the other's
        if (std::this_thread::get_id() != caller) throw std::runtime_error{"elsewhere"};
      });
      FAIL_CHECK("nothing was thrown");
    } catch (std::runtime_error const& error) {
      CHECK(std::string{error.what()} == "elsewhere");
    }
  }
}

TEST_CASE("an exception reaches its own waiter and no other") {
  HostQueue queue{3};
  std::atomic<int> wrong{0}, caught{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t, queue]() mutable {
      for (int k = 0; k < 50; ++k) try {
          queue.for_each(20, [&](std::size_t i) {
            if (t % 2 == 0 && i == 7) throw t;
          });
          if (t % 2 == 0) ++wrong;
        } catch (int from) {
          ++caught;
          if (from != t) ++wrong;
        }
    });
  for (auto& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(caught == 100);
}

TEST_CASE("a for_each in a task does not wait for threads that are all inside of tasks") {
  HostQueue queue{2};
  std::atomic<int> here{0}, runs{0};
  queue.for_each(2, [&](std::size_t) {  // both threads are busy, and each requests two
    ++here;
    while (here < 2) std::this_thread::yield();
    queue.for_each(2, [&](std::size_t) { ++runs; });
  });
  CHECK(runs == 4);
}

TEST_CASE("a queue and its copies have the memory resource that they were given") {
  std::pmr::monotonic_buffer_resource resource;
  HostQueue const queue{2, &resource};
  HostQueue const copy = queue;
  CHECK(copy.resource() == &resource);
  CHECK(HostQueue{}.resource() == std::pmr::new_delete_resource());
  CHECK(HostQueue{3}.resource() == std::pmr::new_delete_resource());
}

TEST_CASE("threads that make default queues at once share one") {
  std::vector<std::optional<HostQueue>> made(8);
  std::vector<std::thread> threads;
  for (auto& queue : made) threads.emplace_back([&] { queue = HostQueue::of_all_processors(); });
  for (auto& thread : threads) thread.join();
  made[0]->keep_idle(7);
  for (auto const& queue : made) CHECK(queue->most_idle() == 7);
}

TEST_CASE("started functions run once, on all threads, and throw from wait") {
  HostQueue const queue{3};
  std::atomic<std::size_t> here{0};
  std::vector<Pending> all;
  for (int i = 0; i < 3; ++i)
    all.push_back(queue.start([&] {
      ++here, here.notify_all();
      while (here < 3) here.wait(here);
    }));
  all.clear();
  CHECK(here == 3);

  std::mutex mutex;
  std::vector<int> order;
  HostQueue const two{2};
  for (int i = 0; i < 100; ++i)
    all.push_back(two.start([&, i] {
      std::lock_guard lock{mutex};
      order.push_back(i);
    }));
  for (auto& one : all) one.wait();
  CHECK(order.size() == 100);
  CHECK(std::set(order.begin(), order.end()).size() == 100);

  auto failed = two.start([] { throw std::runtime_error{"task"}; });
  CHECK_THROWS_WITH_AS(failed.wait(), "task", std::runtime_error);
  failed.wait();  // nothing is left
  (void)two.start([] { throw std::runtime_error{"dropped"}; }).is_done();
}

TEST_CASE("a queue of one thread runs a started function before it returns") {
  HostQueue const queue;
  auto const caller = std::this_thread::get_id();
  std::thread::id ran{};
  auto const pending = queue.start([&] { ran = std::this_thread::get_id(); });
  CHECK(pending.is_done());
  CHECK(ran == caller);
}

TEST_CASE("a function that runs behind a started one may let go of the queue") {
  for (int round = 0; round < 50; ++round) {
    std::atomic<bool> go{false}, done{false};
    struct Held {
      std::optional<HostQueue> queue{2};
      std::atomic<bool>* done;
    } held{.done = &done};
    struct Coroutine {
      static Coroutine from_address(void* at) { return {static_cast<Held*>(at)}; }
      void* address() const { return held; }
      void resume() const {
        held->queue.reset();
        *held->done = true, held->done->notify_all();
      }
      Held* held;
    };
    auto pending = held.queue->start([&] { go.wait(false); });
    Pending::Awaiter awaiter{pending};
    REQUIRE(awaiter.await_suspend(Coroutine{&held}));
    go = true, go.notify_all();
    pending.wait();
    pending = {};
    done.wait(false);
  }
}
