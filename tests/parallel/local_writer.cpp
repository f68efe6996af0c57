// LocalWriter: writes that return before the store has the elements.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <parallel/counted_store.hpp>
#include <parallel/random_partition.hpp>
#include <parallel/threads.hpp>
#include <tessera/parallel/local_writer.hpp>
#include <tessera/parallel/open.hpp>
#include <tessera/tessera.hpp>

namespace {

using namespace tessera;
using test::CountedStore;
using test::ThreadRanks;

// Writes of chunks wait until the gate is open.
struct GatedStore : CountedStore {
  struct Gate {
    std::mutex mutex;
    std::condition_variable opened;
    bool is_open = false;
  };
  std::shared_ptr<Gate> gate = std::make_shared<Gate>();

  void open() const {
    std::lock_guard lock{gate->mutex};
    gate->is_open = true;
    gate->opened.notify_all();
  }
  void write(Key const& key, ByteView<space::Host> value, On& on) const {
    if (!key.path.ends_with(".json")) {
      std::unique_lock lock{gate->mutex};
      gate->opened.wait(lock, [&] { return gate->is_open; });
    }
    CountedStore::write(key, value, on);
  }
};

// The first write of a key waits until it is let go, or another write of the key is done, or for a while: a second call
// that does not wait for the first has come to its end by then.
struct HeldStore : CountedStore {
  std::string held;
  std::shared_ptr<GatedStore::Gate> gate = std::make_shared<GatedStore::Gate>();
  std::shared_ptr<std::atomic<int>> writes = std::make_shared<std::atomic<int>>(0);

  void let_go() const {
    std::lock_guard lock{gate->mutex};
    gate->is_open = true;
    gate->opened.notify_all();
  }
  void write(Key const& key, ByteView<space::Host> value, On& on) const {
    bool const is_first = key.path == held && (*writes)++ == 0;
    if (is_first) {
      std::unique_lock lock{gate->mutex};
      gate->opened.wait_for(lock, std::chrono::milliseconds{200}, [&] { return gate->is_open; });
    }
    CountedStore::write(key, value, on);
    if (key.path == held && !is_first) let_go();
  }
};

std::vector<std::uint32_t> step_of(Partition const& partition, int rank, std::uint64_t step) {
  std::vector<std::uint32_t> elements(element_count(partition.memory_shape(rank), "memory"));
  std::size_t next = 0;
  test::for_each_element<3>(partition, {step, 0, 0}, rank, true,
                            [&](Extents const& index, Extents const&) { elements[next++] = test::element_at(index); });
  return elements;
}

void check_written(GatedStore const& store, std::uint64_t steps) {
  auto const whole = open_array<std::uint32_t, 3>(store, "a").read(all);
  bool is_same = whole.shape()[0] == steps;
  auto const one = Partition::blocks(whole.shape(), 1);
  test::for_each_element<3>(one, {0, 0, 0}, 0, false, [&](Extents const& index, Extents const&) {
    is_same = is_same && whole[index] == test::element_at(index);
  });
  CHECK(is_same);
}

TEST_CASE("a write returns before the store has the elements, and waits for the oldest of those in flight") {
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    bool const copies = round != 1, is_aligned = round == 2;
    GatedStore const store;
    std::atomic<int> early = 0, late = 0;
    auto const partition =
        Partition::blocks({1, 12, 10}, 4, {.align = is_aligned ? Extents{1, 5, 4} : Extents{1, 1, 1}});
    auto const errors = ThreadRanks::run(4, [&](ThreadRanks const& all_ranks) {
      NewArray<std::uint32_t> const wanted{.shape = {5, 12, 10}, .chunks = {1, 5, 4}};
      auto const array = create_array<std::uint32_t, 3>(all_ranks, store, "a", wanted, {}, Queue<space::Host>{3});
      Exchanged counts;
      LocalWriter writer{all_ranks, array, partition, {.copies = copies, .exchanged = &counts}};
      std::vector<std::vector<std::uint32_t>> memory;
      std::vector<Pending> pending;
      for (std::uint64_t step = 0; step < 5; ++step) {
        memory.push_back(step_of(partition, all_ranks.rank(), step));
        auto call = writer.write(memory.back(), {step, 0, 0});
        if (copies && step < 2)
          call.detach();  // without waiting for it
        else
          pending.push_back(std::move(call));
        if (copies) memory.back().assign(memory.back().size(), 0);  // it is free
        if (step >= 2 && is_aligned) {  // at most two are in flight
          auto const box = partition.local_box(all_ranks.rank()).resolve(partition.shape());
          auto const found = array.read({step - 2, {box.first[1], box.first[1] + box.count[1]},
                                         {box.first[2], box.first[2] + box.count[2]}});
          late += !std::ranges::equal(found, step_of(partition, all_ranks.rank(), step - 2));
        }
        if (step != 1) continue;
        early += *store.values_written;
        all_ranks.least(0);  // until all have looked
        store.open();
      }
      writer.finish();
      for (auto& one : pending) one.wait();
      if ((counts.messages == 0) != is_aligned) throw StoreError{"nothing was sent"};
    });
    CHECK(errors == std::vector<std::string>(4));
    CHECK(early == 0);
    CHECK(late == 0);
    check_written(store, 5);
  }
}

TEST_CASE("an error of a write is thrown by its Pending, and on all ranks by the next call") {
  GatedStore const store;
  store.open();
  std::atomic<int> of_pending = 0;
  auto const partition = Partition::blocks({1, 12, 10}, 4);
  auto const errors = ThreadRanks::run(4, [&](ThreadRanks const& all_ranks) {
    auto own = store;
    own.left = std::make_shared<std::atomic<long>>(-1);
    auto const array = create_array<std::uint32_t, 3>(all_ranks, own, "a", {.shape = {5, 12, 10}, .chunks = {1, 12, 2}},
                                                      {}, Queue<space::Host>{2});
    LocalWriter writer{all_ranks, array, partition, {.in_flight = 1}};
    if (all_ranks.rank() == 2) *own.left = 0;
    auto const first = step_of(partition, all_ranks.rank(), 0);
    auto pending = writer.write(first, {0, 0, 0});
    try {
      pending.wait();
    } catch (StoreError const&) {
      of_pending += all_ranks.rank() == 2 ? 1 : 100;
    }
    writer.write(first, {1, 0, 0}).wait();
  });
  CHECK(of_pending == 1);
  CHECK(errors[0].find("rank 2: the line is down") != std::string::npos);
  CHECK(errors == std::vector<std::string>(4, errors[0]));
}

TEST_CASE("two calls in flight do not change a chunk by two ranks, or an element twice") {
  HeldStore store;
  store.held = "a/c/1";
  create_array<int, 1>(store, "a", {.shape = {12}, .chunks = {4}});
  auto const partition = Partition::blocks({6}, 2);
  auto const errors = ThreadRanks::run(2, [&](ThreadRanks const& ranks) {
    auto const array = open_array<int, 1>(ranks, store, "a", Queue<space::Host>{3});
    LocalWriter writer{ranks, array, partition, {.copies = true}};
    auto const first = writer.write(std::vector<int>(3, 1 + ranks.rank()));  // rank 1 has 4 and 5 of the second chunk
    auto const second = writer.write(std::vector<int>(3, 3 + ranks.rank()), {6});  // rank 0 has 6 and 7 of it
    writer.finish();
  });
  CHECK(errors == std::vector<std::string>(2));
  auto const whole = open_array<int, 1>(store, "a").read(all);
  CHECK(std::vector<int>(whole.begin(), whole.end()) == std::vector<int>{1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4});

  *store.writes = 0, store.gate->is_open = false;
  auto const again = ThreadRanks::run(2, [&](ThreadRanks const& ranks) {
    auto const array = open_array<int, 1>(ranks, store, "a", Queue<space::Host>{3});
    LocalWriter writer{ranks, array, partition, {.copies = true}};
    auto const first = writer.write(std::vector<int>(3, 5));
    auto const second = writer.write(std::vector<int>(3, 6));
    bool const was_done = first.is_done();
    store.let_go();
    if (!was_done) throw StoreError{"the later elements may be overwritten by the earlier ones"};
  });
  CHECK(again == std::vector<std::string>(2));
}

TEST_CASE("calls whose elements lie in the same chunks of the same ranks do not wait for each other") {
  std::vector<Box> const boxes{{all, {0, 7}}, {all, {7, 10}}, {all, {0, 0}}};
  for (auto const& partition : {Partition::blocks({1, 10}, 3), Partition::boxes({1, 10}, boxes)}) {
    GatedStore const store;
    create_array<int, 2>(store, "a", {.shape = {4, 10}, .chunks = {4, 4}});
    auto const errors = ThreadRanks::run(3, [&](ThreadRanks const& ranks) {
      auto const array = open_array<int, 2>(ranks, store, "a", Queue<space::Host>{2});
      LocalWriter writer{ranks, array, partition, {.in_flight = 4, .copies = true}};
      auto const count = element_count(partition.memory_shape(ranks.rank()), "memory");
      for (int step = 0; step < 4; ++step) writer.write(std::vector<int>(count, 1 + step), {step, 0}).detach();
      ranks.least(0);  // until all ranks have all calls in flight
      store.open();
      writer.finish();
      for (int step = 0; step < 4; ++step)
        for (auto element : array.read({step, all}))
          if (element != 1 + step) throw StoreError{"other elements"};
    });
    CHECK(errors == std::vector<std::string>(3));
  }
}

TEST_CASE("finish waits for all calls, also behind one with an error") {
  HeldStore store;
  store.held = "a/c/1";
  create_array<int, 1>(store, "a", {.shape = {8}, .chunks = {4}});
  auto const partition = Partition::blocks({4}, 1);
  auto const errors = ThreadRanks::run(1, [&](ThreadRanks const& ranks) {
    auto const array = open_array<int, 1>(ranks, store, "a", Queue<space::Host>{3});
    std::vector<int> const memory(4, 1);
    LocalWriter writer{ranks, array, partition};
    *store.left = 0;
    auto first = writer.write(memory);
    try {
      first.wait();
    } catch (StoreError const&) {
    }
    auto const second = writer.write(memory, {4});
    try {
      writer.finish();
    } catch (StoreError const&) {
      if (!second.is_done()) throw StoreError{"the memory is still in use"};
      throw;
    }
  });
  CHECK(errors[0].find("rank 0: the line is down") != std::string::npos);
}

TEST_CASE("a call in flight that needs more than its memory is an error on all ranks") {
  GatedStore const store;
  store.open();
  auto const array = create_array<std::uint32_t, 3>(store, "a", {.shape = {1, 12, 10}, .chunks = {1, 12, 5}});
  auto const partition = Partition::blocks({1, 12, 10}, 4);
  auto const errors = ThreadRanks::run(4, [&](ThreadRanks const& all_ranks) {
    LocalWriter writer{all_ranks, array, partition, {.memory = 64}};
    writer.write(step_of(partition, all_ranks.rank(), 0)).wait();
  });
  CHECK(errors[0].find("bytes, expected at most 32, half of the option memory") != std::string::npos);
  CHECK(errors == std::vector<std::string>(4, errors[0]));
}

}  // namespace
