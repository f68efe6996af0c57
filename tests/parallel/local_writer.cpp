// LocalWriter: writes that return before the store has the elements.
#include <algorithm>
#include <atomic>
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
        pending.push_back(writer.write(memory.back(), {step, 0, 0}));
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
