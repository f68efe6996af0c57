// Allocations of one rank fail, one in each round: all ranks get an error, or none; no rank stays waiting.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <parallel/threads.hpp>
#include <support/allocations.hpp>
#include <tessera/parallel/checkpoint.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/local_writer.hpp>
#include <tessera/parallel/open.hpp>
#include <tessera/tessera.hpp>

namespace allocations_of_ranks {
namespace {

using namespace tessera;
using test::ThreadRanks;
using Documents = MemoryStore<HostBuffer>;

constexpr int ranks = 3;
std::string const name = "an array whose name is no short string";
Partition const partition = Partition::blocks({11, 9}, ranks, {.halo = {1, 1}});
Partition const cyclic = Partition::cyclic({11, 9}, ranks, {2, 2});

std::vector<int> memory_of(Partition const& of, int rank) {
  test::AllocationsSucceed const none;  // the program's own
  return std::vector<int>(element_count(of.memory_shape(rank), "memory"), 1 + rank);
}

// Calls f, of which the k-th allocation of rank `failing` fails, for k = 0, step, 2 step, ... until none of them does.
template <class F>
void fail_allocations(int failing, std::size_t step, F&& f) {
  std::size_t k = 0;
  bool has_failed = true;
  while (has_failed) {
    CAPTURE(failing);
    CAPTURE(k);
    Documents const store;
    create_array<int, 2>(store, name, {.shape = {11, 9}, .chunks = {4, 4}});
    auto const errors = ThreadRanks::run(ranks, [&](ThreadRanks const& all) {
      auto const array = open_array<int, 2>(all, store, name, Queue<space::Host>{1});
      all.least(0);
      if (all.rank() != failing) {
        test::AllocationsSucceed const none;
        return f(all, store, array);
      }
      test::FailingAllocation const one{k};
      try {
        f(all, store, array);
      } catch (...) {
        has_failed = one.has_failed();
        throw;
      }
      has_failed = one.has_failed();
    });
    // Of an allocation that fails beside the call, for a cache say, no rank hears.
    bool const are_all = std::ranges::none_of(errors, &std::string::empty);
    bool const are_none = std::ranges::all_of(errors, &std::string::empty);
    CHECK((are_all || are_none));
    for (auto const& error : errors) {
      CAPTURE(error);
      CHECK(error.find("wait for each other") == std::string::npos);
      if (!are_none && &error - errors.data() != failing)
        CHECK(error.find("rank " + std::to_string(failing) + ": too little memory is free") != std::string::npos);
    }
    k += step;
  }
  CHECK(k > 20);
}

template <class F>
void fail_allocations(F&& f) {
  fail_allocations(0, 1, f);
  fail_allocations(1, 3, f);
}

}  // namespace

TEST_CASE("allocations of one rank fail: in a write that ranks share") {
  fail_allocations([](ThreadRanks const& all, Documents const&, auto const& array) {
    auto const memory = memory_of(cyclic, all.rank());
    write_local(all, array, cyclic, memory, {.memory = 4 * 4 * 4 * 4 * sizeof(int)});
  });
}

TEST_CASE("allocations of one rank fail: in a read that ranks share") {
  fail_allocations([](ThreadRanks const& all, Documents const&, auto const& array) {
    auto memory = memory_of(partition, all.rank());
    read_local(all, array, partition, memory, {.memory = 4 * 4 * 4 * 4 * sizeof(int), .sharing = ReadSharing::all});
  });
}

TEST_CASE("allocations of one rank fail: in writes behind the computation") {
  fail_allocations([](ThreadRanks const& all, Documents const&, auto const& array) {
    auto const memory = memory_of(cyclic, all.rank());
    auto writer = [&] {
      test::AllocationsSucceed const none;  // no call of all ranks
      return LocalWriter{all, array, cyclic, {.copies = true}};
    }();
    writer.write(memory).detach();
    writer.write(memory).detach();
    writer.finish();
  });
}

TEST_CASE("allocations of one rank fail: where arrays are opened and grow, and attributes are read") {
  fail_allocations([](ThreadRanks const& all, Documents const& store, auto const&) {
    auto const on = [] {
      test::AllocationsSucceed const none;
      return Queue<space::Host>{1};
    }();
    auto const array = open_array<int, 2>(all, store, name, on);
    static_cast<void>(get_attributes(all, store, name));
    append(all, array, partition, memory_of(partition, all.rank()));
    resize(all, array, {30, 9});
  });
}

}  // namespace allocations_of_ranks
