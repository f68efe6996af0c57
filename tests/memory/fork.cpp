// fork() copies memory and not threads: use of a parent's queue in a child, and of its own.
#include <atomic>
#include <cstddef>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include <unistd.h>

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

TEST_CASE("a child runs what its parent's queue has not ended, in the thread that waits for it") {
  HostQueue const queue{2};
  auto const parent = ::getpid();
  std::atomic<bool> begun{false}, go{false};
  std::atomic<int> ran{0};
  auto const slow = [&] {
    begun = true, begun.notify_all();
    if (::getpid() == parent) go.wait(false);
    ++ran;
  };
  auto one = queue.start(slow), two = queue.start(slow), three = queue.start([&] { ++ran; });
  begun.wait(false);
  CHECK(test::in_child([&] {
    auto const before = ran.load();
    one.wait(), two.wait();
    bool const is_done = three.is_done();
    three.wait();
    return before == 0 && ran == 3 && !is_done;
  }));
  go = true, go.notify_all();
  one.wait(), two.wait(), three.wait();
  CHECK(ran == 3);
}

TEST_CASE("a child's default queue has threads, also if its parent's were started") {
  auto const parents = HostQueue::of_all_processors();
  auto used = parents;
  threads_of(used);
  CHECK(test::in_child([&] {
    auto own = HostQueue::of_all_processors();
    return threads_of(own).size() == own.threads() && threads_of(own) == threads_of(own);
  }));
}

TEST_CASE("default queues share their threads, and start new ones after the last handle") {
  for (int round = 0; round < 2; ++round) {
    auto one = HostQueue::of_all_processors(), other = HostQueue::of_all_processors();
    CHECK(threads_of(one) == threads_of(other));
    CHECK(threads_of(one).size() == one.threads());
    one.keep_idle(7);
    CHECK(other.most_idle() == 7);
  }
  CHECK(HostQueue::of_all_processors().most_idle() != 7);
}
