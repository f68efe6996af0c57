// Documents that one rank reads and writes for all, shapes that change together, and errors that all ranks learn of.
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <parallel/counted_store.hpp>
#include <parallel/threads.hpp>
#include <tessera/node/consolidate.hpp>
#include <tessera/parallel/checkpoint.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/open.hpp>
#include <tessera/tessera.hpp>

namespace {

using namespace tessera;
using test::CountedStore;
using test::ThreadRanks;

bool all_are(std::vector<std::string> const& errors, std::string const& text) {
  return std::set(errors.begin(), errors.end()) == std::set{text};
}

std::vector<int> counted(Partition const& partition, int rank, int first) {
  auto const shape = partition.memory_shape(rank);
  std::vector<int> elements(element_count(shape, "memory"));
  std::iota(elements.begin(), elements.end(), first + 1000 * rank);
  return elements;
}

TEST_CASE("one rank reads the document, and all get the array") {
  CountedStore const store;
  create_group(store, "g", {{"unit", "K"}});
  create_array<int, 2>(store, "g/a", {.shape = {9, 8}, .chunks = {4, 4}, .attributes = {{"x", 1}}});
  for (int ranks : {1, 2, 5, 16}) {
    *store.documents_read = 0;
    auto const errors = ThreadRanks::run(ranks, [&](ThreadRanks const& all_ranks) {
      auto const array = open_array<int, 2>(all_ranks, store, "g/a", Queue<space::Host>{});
      if (array.shape() != Extents{9, 8} || array.attributes().empty()) throw StoreError{"another array"};
    });
    CHECK(all_are(errors, ""));
    CHECK(*store.documents_read == 1);
  }
  consolidate(store.inner, "g");
  *store.documents_read = 0;
  auto const errors = ThreadRanks::run(5, [&](ThreadRanks const& all_ranks) {
    auto const group = open_group(all_ranks, store, "g");
    auto const array = open_array<int, 2>(all_ranks, group, "a", Queue<space::Host>{});
    if (array.shape() != Extents{9, 8} || group.attributes().empty()) throw StoreError{"another group"};
    if (to_json(Value{get_attributes(all_ranks, store, "g/a")}) != to_json(Value{Members{{"x", 1}}}))
      throw StoreError{"other attributes"};
  });
  CHECK(all_are(errors, ""));
  CHECK(*store.documents_read == 2);  // the group's with the copies, and the attributes
}

TEST_CASE("a text of any length reaches all ranks, by one call if it has 4088 bytes or less") {
  for (auto const size : std::vector<std::size_t>{0, 1, 4087, 4088, 4089, 8184, 8185, 20'000}) {
    CAPTURE(size);
    std::string text(size, 'a');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 26);
    std::atomic<std::uint64_t> calls = 0;
    auto const errors = ThreadRanks::run(3, [&](ThreadRanks const& all_ranks) {
      tessera::detail::ErasedCommunicatorOf<ThreadRanks> all{all_ranks};
      auto own = all_ranks.rank() == 1 ? text : std::string{"another"};
      if (tessera::detail::broadcast_text(all, own, 1) || own != text) throw StoreError{"another text"};
      if (all_ranks.rank() == 0) calls = all_ranks.calls();
    });
    CHECK(all_are(errors, ""));
    CHECK(calls == (size <= 4088 ? 1 : 1 + (size - 4088 + 4095) / 4096));
  }
}

TEST_CASE("all ranks get the error of one, with its type, key and rank") {
  CountedStore const store;
  for (int ranks : {1, 3, 16}) {
    auto const missing = ThreadRanks::run(ranks, [&](ThreadRanks const& all_ranks) {
      try {
        open_array<int, 2>(all_ranks, store, "a");
      } catch (NodeNotFound const& error) {
        if (error.key() == "a/zarr.json" && error.store() == "ranks") throw;
      }
    });
    CHECK(all_are(missing, "ranks: key \"a/zarr.json\": rank 0: there is no array: the document is missing"));
  }
  // Ranks that disagree about their arguments.
  auto const array = create_array<int, 1>(store, "a", {.shape = {12}, .chunks = {5}});
  auto const partition = Partition::blocks({12}, 3);
  auto const errors = ThreadRanks::run(3, [&](ThreadRanks const& all_ranks) {
    std::vector<int> const own(all_ranks.rank() == 1 ? 3 : 4);
    write_local(all_ranks, array, partition, own);
  });
  CHECK(all_are(errors, "ranks: key \"a/zarr.json\": rank 1: the memory holds 3 elements, expected 4"));
  auto const small = ThreadRanks::run(3, [&](ThreadRanks const& all_ranks) {
    write_local(all_ranks, array, partition, std::vector<int>(4), {.memory = 32});
  });
  CHECK(small[0] == "ranks: key \"a/zarr.json\": rank 0: a stored value that several ranks share needs 24 bytes in one "
                    "rank, expected at most 16, half of the option memory");
}

TEST_CASE("an append does not overwrite what another program has appended") {
  CountedStore const store;
  auto const other = create_array<int, 1>(store, "a", {.shape = {3}, .chunks = {4}});
  auto const errors = ThreadRanks::run(2, [&](ThreadRanks const& ranks) {
    auto const array = open_array<int, 1>(ranks, store, "a");
    if (ranks.rank() == 0) other.append(std::vector<int>(2, 7));
    append(ranks, array, Partition::blocks({2}, 2), std::vector<int>(1, 1));
  });
  CHECK(all_are(errors, "ranks: key \"a/zarr.json\": rank 0: member shape: found [5], expected [3]: another writer "
                        "changed it since the array was opened"));
  CHECK(other.read(all)[{4}] == 7);
}

TEST_CASE("ranks with different arguments do not wait for each other") {
  CountedStore const store;
  create_array<int, 2>(store, "a", {.shape = {3, 8}, .chunks = {2, 4}});
  auto const old = open_array<int, 2>(store, "a"), now = open_array<int, 2>(store, "a");
  now.append(std::vector<int>(8, 1));
  auto const wide = Partition::blocks({4, 8}, 2, {.grid = {1, 2}}),
             high = Partition::blocks({4, 8}, 2, {.grid = {2, 1}});
  auto const is_refused = [](auto const& call, std::string const& found) {
    auto const errors = ThreadRanks::run(2, [&](ThreadRanks const& ranks) { call(ranks, ranks.rank() == 1); });
    CAPTURE(errors[0]);
    CHECK(all_are(errors, errors[0]));
    CHECK(errors[0].starts_with("ranks: key \"a/zarr.json\": rank 1: found an array of "));
    auto const expected = errors[0].find(", expected those of rank 0: an array of ");
    CHECK(errors[0].find(found) < expected);
    CHECK(expected != std::string::npos);
  };
  std::vector<int> const own(16, 5);
  is_refused([&](auto const& ranks, bool other) { append(ranks, other ? old : now, high, own); },
             "an array of [7, 8], a partition of [4, 8]");
  is_refused([&](auto const& ranks, bool other) { write_local(ranks, now, other ? wide : high, own); }, "");
  is_refused([&](auto const& ranks, bool other) { write_local(ranks, now, wide, own, {.memory = other ? 4096U : 0U}); },
             "memory 4096");
  is_refused(
      [&](auto const& ranks, bool other) {
        auto read = own;
        read_local(ranks, now, high, read, {.sharing = other ? ReadSharing::all : ReadSharing::none});
      },
      "sharing 2");
  is_refused(
      [&](auto const& ranks, bool other) {
        auto const half = Partition::blocks({2, 8}, 2);
        write_local(ranks, now, half, std::vector<int>(8), {.origin = other ? Extents{2, 0} : Extents{}});
      },
      "origin [2, 0]");
}

TEST_CASE("chunks that a rectilinear grid does not have, and sizes beyond 64 bits, are errors of all ranks") {
  CountedStore const store;
  ArrayMetadata metadata{.shape = {2, 6},
                         .type = data_type_of<int>(),
                         .chunk_shape = {3, 6},
                         .key_encoding = {},
                         .fill = std::vector<std::byte>(sizeof(int)),
                         .codecs = {{"bytes", Members{{"endian", "little"}}}}};
  metadata.edges = {{{{1, 1}, {3, 1}}}, {{{6, 1}}}};
  create_any(store, "a", metadata);
  auto const refused = ThreadRanks::run(2, [&](ThreadRanks const& ranks) {
    auto const array = open_array<int, 2>(ranks, store, "a");
    Checkpoint step{ranks};
    for (int i = 0; i < 2; ++i) step.append(array, Partition::blocks({2, 6}, 2), std::vector<int>(6, 1));
  });
  CHECK(all_are(refused,
                "ranks: key \"a/zarr.json\": rank 0: dimension 0: found chunks for 4 elements, expected 6: the lengths "
                "of a rectilinear grid do not grow with the array"));
  // A shard of 2^61 elements of 8 bytes, whose ends are those of two ranks.
  auto const length = std::uint64_t{1} << 61;
  create_array<double, 1>(store, "b", {.shape = {length}, .shards = {length}, .chunks = {length >> 11}});
  std::vector<Box> const ends{{{0, 1}}, {{length - 1, length}}};
  auto const large = ThreadRanks::run(2, [&](ThreadRanks const& ranks) {
    auto const array = open_array<double, 1>(ranks, store, "b");
    write_local(ranks, array, Partition::boxes({length}, ends), std::vector<double>(1, 1));
  });
  CHECK(all_are(large, large[0]));
  CHECK(large[0].find("a stored value that several ranks share") != std::string::npos);
}

TEST_CASE("arrays grow together, and are read by another number of ranks") {
  CountedStore const store;
  NewArray<int> const wanted{.shape = {0, 10}, .shards = {4, 6}, .chunks = {2, 3}};
  auto const steps = Partition::blocks({3, 10}, 4);
  std::atomic<int> early = 0;
  auto const errors = ThreadRanks::run(4, [&](ThreadRanks const& all_ranks) {
    create_group(all_ranks, store, "run");
    auto const t = create_array<int, 2>(all_ranks, store, "run/t", wanted, {}, Queue<space::Host>{});
    auto const p = create_array<int, 2>(all_ranks, store, "run/p", wanted, {}, Queue<space::Host>{});
    for (int step = 0; step < 3; ++step) {
      Checkpoint checkpoint{all_ranks};
      checkpoint.append(t, steps, counted(steps, all_ranks.rank(), step * 100));
      checkpoint.append(p, steps, counted(steps, all_ranks.rank(), step * 100 + 50));
      auto const rows = static_cast<std::uint64_t>(step) * 3;
      early += t.shape()[0] != rows || open_array<int, 2>(store, "run/p").shape()[0] != rows;
      all_ranks.least(0);  // until all ranks have looked
      checkpoint.publish();
      if (t.shape()[0] != rows + 3 || p.shape()[0] != rows + 3) throw StoreError{"the handles have another shape"};
    }
    append(all_ranks, t, steps, counted(steps, all_ranks.rank(), 300));
    resize(all_ranks, p, {4, 10});
    if (p.shape() != Extents{4, 10}) throw StoreError{"the handle has another shape"};
  });
  CHECK(all_are(errors, ""));
  CHECK(early == 0);

  auto const serial = create_array<int, 2>(store, "serial", {.shape = {12, 10}, .chunks = {2, 3}});
  for (std::uint64_t step = 0; step < 4; ++step)
    for (int rank = 0; rank < 4; ++rank) {
      auto const region = steps.local_box(rank).resolve({3, 10});
      serial.write({{region.first[0] + step * 3, region.first[0] + step * 3 + region.count[0]},
                    {region.first[1], region.first[1] + region.count[1]}},
                   counted(steps, rank, static_cast<int>(step) * 100));
    }
  auto const expected = serial.read(all);
  CHECK(open_array<int, 2>(store, "run/p").shape() == Extents{4, 10});
  auto const read_parts = Partition::blocks({12, 10}, 3, {.halo = {1, 1}});
  auto const read = ThreadRanks::run(3, [&](ThreadRanks const& all_ranks) {
    auto const t = open_array<int, 2>(all_ranks, store, "run/t", Queue<space::Host>{});
    auto const box = read_parts.memory_box(all_ranks.rank());
    std::vector<int> own(element_count(read_parts.memory_shape(all_ranks.rank()), "memory"));
    read_local(all_ranks, t, read_parts, own, {.sharing = ReadSharing::all});
    auto const part = expected.sub(box);
    if (!std::equal(own.begin(), own.end(), part.begin())) throw StoreError{"other elements"};
  });
  CHECK(all_are(read, ""));
}

TEST_CASE("a publish that fails has published the arrays before, and later appends go on from there") {
  auto const steps = Partition::blocks({3, 10}, 2);
  NewArray<int> const wanted{.shape = {0, 10}, .chunks = {2, 5}};
  std::set<std::string> outcomes;
  for (long k = 0;; ++k) {
    CAPTURE(k);
    CountedStore const store;
    std::atomic<bool> has_failed = false;
    auto const errors = ThreadRanks::run(2, [&](ThreadRanks const& all_ranks) {
      auto const own = store.of_one_rank();
      auto const t = create_array<int, 2>(all_ranks, own, "t", wanted, {}, Queue<space::Host>{});
      auto const p = create_array<int, 2>(all_ranks, own, "p", wanted, {}, Queue<space::Host>{});
      auto const append_both = [&](Checkpoint<ThreadRanks>& step, int first) {
        step.append(t, steps, counted(steps, all_ranks.rank(), first));
        step.append(p, steps, counted(steps, all_ranks.rank(), first + 50));
      };
      Checkpoint lost{all_ranks};
      append_both(lost, 100);
      if (all_ranks.rank() == 0) *own.left = k;
      try {
        lost.publish();
      } catch (StoreError const&) {
        has_failed = true;
      }
      *own.left = -1;
      for (auto const& [array, name] : {std::pair{&t, "t"}, std::pair{&p, "p"}})
        if (array->shape() != open_array<int, 2>(store, name).shape()) throw StoreError{"the handle has another shape"};
      all_ranks.least(0);  // until both ranks have looked
      Checkpoint next{all_ranks};
      append_both(next, 200);
      next.publish();
    });
    CAPTURE(errors[0]);
    CAPTURE(errors[1]);
    CHECK(all_are(errors, ""));
    std::string outcome;
    for (auto const& [name, more] : {std::pair{"t", 0}, std::pair{"p", 50}}) {
      auto const array = open_array<int, 2>(store, name);
      outcome += to_string(array.shape());
      auto const rows = array.shape()[0];
      CHECK((rows == 3 || rows == 6));
      auto const last = array.read({{rows - 3, rows}, all});
      auto const first_of_all = steps.local_box(0).resolve({3, 10}), of_last = steps.local_box(1).resolve({3, 10});
      CHECK(last[{first_of_all.first[0], first_of_all.first[1]}] == 200 + more);
      CHECK(last[{of_last.first[0], of_last.first[1]}] == 1200 + more);
      if (rows == 6) CHECK(array.read(all)[{0, 0}] == 100 + more);
    }
    outcomes.insert(outcome);
    if (!has_failed) break;
  }
  CHECK(outcomes == std::set<std::string>{"[3, 10][3, 10]", "[6, 10][3, 10]", "[6, 10][6, 10]"});
}

TEST_CASE("one rank writes attributes, for all") {
  CountedStore const store;
  auto const errors = ThreadRanks::run(4, [&](ThreadRanks const& all_ranks) {
    auto const own = store.of_one_rank();
    if (all_ranks.rank() != 0) *own.left = 0;  // a call fails
    create_array<int, 1>(all_ranks, own, "a", {.shape = {4}, .chunks = {2}}, {}, Queue<space::Host>{});
    set_attributes(all_ranks, own, "a", {{"unit", "K"}, {"x", 1}});
    merge_attributes(all_ranks, own, "a", {{"x", 2}});
    auto const expected = to_json(Value{Members{{"unit", "K"}, {"x", 2}}});
    if (to_json(Value{get_attributes(all_ranks, own, "a")}) != expected) throw StoreError{"other attributes"};
    auto const array = open_any(all_ranks, own, "a", Queue<space::Host>{});
    if (to_json(Value{array.attributes()}) != expected) throw StoreError{"the handle has other attributes"};
    set_attributes(all_ranks, own, "missing", {});
  });
  CHECK(all_are(errors, errors[0]));
  CHECK(errors[0].find("missing") != std::string::npos);
  CHECK(errors[0].find("rank 0") != std::string::npos);
}

TEST_CASE("whichever store call of whichever rank fails, all ranks end with the same error and the array opens") {
  auto const partition = Partition::blocks({6, 7}, 4), more = Partition::blocks({2, 7}, 4);
  for (int failing = 0; failing < 4; ++failing)
    for (long k = 0;; ++k) {
      CAPTURE(failing);
      CAPTURE(k);
      CountedStore const store;
      std::atomic<bool> has_failed = false;
      auto const errors = ThreadRanks::run(4, [&](ThreadRanks const& all_ranks) {
        auto const own = store.of_one_rank();
        if (all_ranks.rank() == failing) *own.left = k;
        auto const array = create_array<int, 2>(all_ranks, own, "a", {.shape = {6, 7}, .chunks = {4, 4}}, {},
                                                Queue<space::Host>{});
        write_local(all_ranks, array, partition, counted(partition, all_ranks.rank(), 0));
        append(all_ranks, array, more, counted(more, all_ranks.rank(), 90));
        std::vector<int> read(element_count(partition.memory_shape(all_ranks.rank()), "memory"));
        read_local(all_ranks, array, partition, read, {.sharing = ReadSharing::all});
        if (all_ranks.rank() == failing && *own.left < 0) has_failed = true;
        if (read != counted(partition, all_ranks.rank(), 0)) throw StoreError{"other elements"};
      });
      if (errors[0].empty() && !has_failed) {
        CHECK(all_are(errors, ""));
        CHECK(k > 1);
        break;
      }
      CHECK(all_are(errors, errors[0]));
      CHECK(errors[0].find("rank " + std::to_string(failing) + ": the line is down") != std::string::npos);
      CHECK(errors[0].starts_with("ranks: key \""));
      Queue<space::Host> on;
      if (value_size(store, {"a/zarr.json"}, on)) {
        auto const left = open_array<int, 2>(store, "a");
        CHECK((left.shape() == Extents{6, 7} || left.shape() == Extents{8, 7}));
        (void)left.read(all);
      }
    }
}

}  // namespace
