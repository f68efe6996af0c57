// write_local and read_local against one process: random partitions, arrays and budgets.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <parallel/random_partition.hpp>
#include <parallel/threads.hpp>
#include <support/random.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/local_writer.hpp>
#include <tessera/tessera.hpp>

namespace {

using namespace tessera;
using test::element_at;
using test::for_each_element;
using test::LocalMemory;
using test::ThreadRanks;
using Memory = MemoryStore<HostBuffer>;

std::map<std::string, std::string> values_in(Memory const& store) {
  std::map<std::string, std::string> values;
  Queue<space::Host> on;
  store.list("", [&](Listed const& entry) {
    auto const value = get_value(store, Key{std::string{entry.path}}, on);
    values.emplace(entry.path, std::string{reinterpret_cast<char const*>(value->view().data), value->view().size});
  });
  return values;
}

template <std::size_t Rank>
void check_random(std::uint64_t seed) {
  CAPTURE(seed);
  test::Random random{seed};
  int const ranks = std::vector{1, 2, 3, 4, 7, 16}[random(0, 5)];
  auto const chunks = random.extents(Rank, 1, 4);
  auto shape = random.extents(Rank, 1, 13);
  NewArray<std::uint32_t> wanted{.shape = shape, .chunks = chunks, .fill = 5};
  if (random.one_in(2)) {
    wanted.shards = chunks;
    for (std::size_t d = 0; d < Rank; ++d) wanted.shards[d] *= random(1, 3);
  }
  auto const& stored = wanted.shards.rank() > 0 ? wanted.shards : chunks;
  Extents origin = Extents::filled(Rank, 0), part = shape;
  if (random.one_in(3))
    for (std::size_t d = 0; d < Rank; ++d)
      origin[d] = random(0, shape[d] - 1), part[d] = random(1, shape[d] - origin[d]);
  auto const partition = test::random_partition(random, part, stored, ranks);
  Queue<space::Host> const one;
  Memory together, alone;
  auto const serial = create_array<std::uint32_t, Rank>(alone, "a", wanted, {}, one);
  auto const shared = create_array<std::uint32_t, Rank>(together, "a", wanted, {}, one);
  if (random.one_in(2)) serial.fill(all, 7), shared.fill(all, 7);
  auto const budget = 4 * sizeof(std::uint32_t) * element_count(stored, "a value") * (random.one_in(2) ? 16 : 8);

  std::atomic<std::uint64_t> most_memory = 0;
  auto const errors = ThreadRanks::run(ranks, [&](ThreadRanks const& all_ranks) {
    LocalMemory<Rank> own{partition, all_ranks.rank()};
    for_each_element<Rank>(partition, origin, all_ranks.rank(), false,
                           [&](Extents const& index, Extents const& at) { own.view[at] = element_at(index); });
    Exchanged counts;
    write_local(all_ranks, shared, partition, own.view, {.origin = origin, .memory = budget, .exchanged = &counts});
    auto seen = most_memory.load();
    while (counts.memory > seen && !most_memory.compare_exchange_weak(seen, counts.memory)) {
    }
  });
  CHECK(errors == std::vector<std::string>(static_cast<std::size_t>(ranks)));
  CHECK(most_memory <= budget);

  for (int rank = 0; rank < ranks; ++rank) {
    LocalMemory<Rank> own{partition, rank};
    auto const region = detail::boxes_of(partition.part_of(rank, false));
    for (auto const& box : region) {
      if (detail::elements_of(box) == 0) continue;
      auto bounds = detail::bounds_of(box);
      std::vector<Slice> slices;
      for (std::size_t d = 0; d < Rank; ++d)
        slices.emplace_back(bounds.first[d] + origin[d], bounds.stop[d] + origin[d]);
      std::vector<std::uint32_t> elements;
      detail::for_each_row(box, [&](detail::PartRow const& row) {
        for (std::uint64_t i = 0; i < row.count; ++i) {
          auto index = row.index;
          index[Rank - 1] += i;
          for (std::size_t d = 0; d < Rank; ++d) index[d] += origin[d];
          elements.push_back(element_at(index));
        }
      });
      serial.write(Box{slices}, elements);
    }
  }
  CHECK(values_in(together) == values_in(alone));

  auto const whole = serial.read(all);
  for (auto const sharing : {ReadSharing::none, ReadSharing::node, ReadSharing::all}) {
    std::atomic<int> wrong = 0;
    auto const failed = ThreadRanks::run(ranks, [&](ThreadRanks const& all_ranks) {
      LocalMemory<Rank> own{partition, all_ranks.rank()};
      read_local(all_ranks, shared, partition, own.view, {.origin = origin, .sharing = sharing});
      std::uint64_t read = 0;
      for_each_element<Rank>(partition, origin, all_ranks.rank(), true, [&](Extents const& index, Extents const& at) {
        wrong += own.view[at] != whole[index];
        ++read;
      });
      wrong += static_cast<std::uint64_t>(std::ranges::count(own.elements, 99U)) != own.elements.size() - read;
    });
    CHECK(failed == std::vector<std::string>(static_cast<std::size_t>(ranks)));
    CHECK(wrong == 0);
  }
}

TEST_CASE("ranks write what one process writes, and read it, however the array is divided") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    check_random<1>(seed);
    check_random<2>(1000 + seed);
    check_random<3>(2000 + seed);
  }
}

TEST_CASE("chunks of different lengths") {
  ArrayMetadata metadata{.shape = {11, 13},
                         .type = data_type_of<int>(),
                         .chunk_shape = {5, 6},
                         .key_encoding = {},
                         .fill = std::vector<std::byte>(sizeof(int)),
                         .codecs = {{"bytes", Members{{"endian", "little"}}}}};
  metadata.edges = {{{{2, 2}, {5, 2}}}, {{{6, 1}, {3, 3}}}};
  Memory const together, alone;
  auto const shared = create_any(together, "a", metadata).as<int, 2>();
  auto const partition = Partition::blocks({11, 13}, 4);
  auto const errors = ThreadRanks::run(4, [&](ThreadRanks const& ranks) {
    auto const shape = partition.memory_shape(ranks.rank());
    std::vector<int> const own(element_count(shape, "memory"), 1 + ranks.rank());
    Exchanged counts;
    write_local(ranks, shared, partition, own, {.exchanged = &counts});
    auto read = own;
    read_local(ranks, shared, partition, read, {.sharing = ReadSharing::all});
    if (read != own || counts.messages == 0) throw StoreError{"other elements were read"};
  });
  CHECK(errors == std::vector<std::string>(4));
  auto const serial = create_any(alone, "a", metadata).as<int, 2>();
  for (int rank = 0; rank < 4; ++rank) serial.fill(partition.local_box(rank), 1 + rank);
  CHECK(values_in(together) == values_in(alone));
}

TEST_CASE("progress of a rank with several boxes is told by one thread at a time") {
  auto const partition = Partition::cyclic({64}, 2, {4});
  Memory const store;
  auto const array = create_array<int, 1>(store, "a", {.shape = {64}, .chunks = {4}}, {}, Queue<space::Host>{4});
  std::atomic<bool> met = false;
  auto const errors = ThreadRanks::run(2, [&](ThreadRanks const& ranks) {
    std::atomic<int> within = 0;
    Progress const progress = [&](std::uint64_t, std::uint64_t) {
      if (++within > 1) met = true;
      for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      --within;
    };
    std::vector<int> own(32, 1);
    write_local(ranks, array, partition, own, {.write = {.progress = progress}});
    read_local(ranks, array, partition, own, {.read = {.progress = progress}});
    LocalWriter writer{ranks, array, partition, {.write = {.progress = progress}}};
    for (int i = 0; i < 2; ++i) writer.write(own).detach();
    writer.finish();
  });
  CHECK(errors == std::vector<std::string>(2));
  CHECK_FALSE(met);
}

}  // namespace
