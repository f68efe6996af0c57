#include <atomic>
#include <cstddef>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
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
  queue.for_each(3, [&](std::size_t) {  // none ends before all three have begun: it takes three threads
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
