// fork() copies memory and not threads: use of a parent's queue in a child, and of its own.
#include <atomic>
#include <cstddef>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <support/child.hpp>
#include <tessera/memory/queue.hpp>

using namespace tessera;

using HostQueue = Queue<space::Host>;

namespace {

// Starts all threads of a queue: none ends before that many have begun.
std::set<std::thread::id> threads_of(HostQueue& queue) {
  std::vector<std::thread::id> ids(queue.threads());
  std::atomic<std::size_t> here{0};
  queue.for_each(ids.size(), [&](std::size_t i) {
    ids[i] = std::this_thread::get_id();
    ++here;
    while (here < ids.size()) std::this_thread::yield();
  });
  return {ids.begin(), ids.end()};
}

}  // namespace

TEST_CASE("a child runs what it gives to its parent's queue in the calling thread, and can let go of it") {
  std::optional<HostQueue> queue{4};
  REQUIRE(threads_of(*queue).size() == 4);
  CHECK(test::in_child([&] {
    std::set<std::thread::id> threads;
    std::size_t runs = 0;
    for (int round = 0; round < 3; ++round)
      queue->for_each(100, [&](std::size_t) { threads.insert(std::this_thread::get_id()), ++runs; });
    *queue->lease<int>() = 1;
    queue.reset();  // the last handle: no wait
    return runs == 300 && threads == std::set{std::this_thread::get_id()};
  }));
  CHECK(threads_of(*queue).size() == 4);
}

TEST_CASE("a child's own queues have threads, or none") {
  HostQueue parents{3};
  REQUIRE(threads_of(parents).size() == 3);
  CHECK(test::in_child([&] {
    HostQueue own{3}, here;
    return threads_of(own).size() == 3 && threads_of(here) == std::set{std::this_thread::get_id()};
  }));
}

TEST_CASE("a queue that has not yet started its threads is whole in a child") {
  HostQueue parents{3};
  CHECK(test::in_child([&] { return threads_of(parents).size() == 3; }));
}
