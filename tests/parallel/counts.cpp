// What ranks send and ask for, counted: 1 to 16 ranks, and 1000.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <parallel/counted_store.hpp>
#include <parallel/threads.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/local_writer.hpp>
#include <tessera/parallel/open.hpp>
#include <tessera/tessera.hpp>

namespace {

using namespace tessera;
using test::CountedStore;
using test::ThreadRanks;

struct Counted {
  std::vector<Exchanged> writes, reads;
  int documents_read, values_written, values_read;
};

// Each rank writes and reads its part, one value per element; reads are shared among all ranks.
Counted count(int ranks, Extents const& shape, Extents const& chunks, Partition const& partition,
              std::uint64_t memory = 0) {
  CountedStore const store;
  create_array<int, 2>(store, "a", {.shape = shape, .chunks = chunks});
  store.forget();
  Counted counted{std::vector<Exchanged>(static_cast<std::size_t>(ranks)),
                  std::vector<Exchanged>(static_cast<std::size_t>(ranks)), 0, 0, 0};
  auto const errors = ThreadRanks::run(ranks, [&](ThreadRanks const& all_ranks) {
    auto const rank = static_cast<std::size_t>(all_ranks.rank());
    auto const array = open_array<int, 2>(all_ranks, store, "a", Queue<space::Host>{});
    std::vector<int> const own(element_count(partition.memory_shape(all_ranks.rank()), "memory"), 1 + all_ranks.rank());
    write_local(all_ranks, array, partition, own, {.memory = memory, .exchanged = &counted.writes[rank]});
    auto read = own;
    std::fill(read.begin(), read.end(), 0);
    read_local(all_ranks, array, partition, read,
               {.memory = memory, .sharing = ReadSharing::all, .exchanged = &counted.reads[rank]});
    if (read != own) throw StoreError{"other elements"};
  });
  CHECK(errors == std::vector<std::string>(static_cast<std::size_t>(ranks)));
  counted.documents_read = *store.documents_read;
  counted.values_read = *store.values_read;
  counted.values_written = *store.values_written;
  return counted;
}

TEST_CASE("nothing is sent where blocks are aligned") {
  for (int ranks : {1, 2, 3, 4, 7, 16}) {
    CAPTURE(ranks);
    auto const counted = count(ranks, {64, 61}, {8, 8}, Partition::blocks({64, 61}, ranks, {.align = {8, 8}}));
    for (auto const& of : {counted.writes, counted.reads})
      for (auto const& one : of) {
        CHECK(one.messages == 0);
        CHECK(one.bytes == 0);
        CHECK(one.memory == 0);
      }
    CHECK(counted.documents_read == 1);
    CHECK(counted.values_written == 64);
    CHECK(counted.values_read == 64);
  }
}

// A rank sends at most its elements once, two messages to each rank beside it, and four bytes for each chunk that it
// shares.
void check_share(int ranks, Extents const& shape, Extents const& chunks, std::uint64_t memory, int values) {
  CAPTURE(ranks);
  auto const partition = Partition::blocks(shape, ranks);
  auto const counted = count(ranks, shape, chunks, partition, memory);
  CHECK(counted.documents_read == 1);
  CHECK(counted.values_written == values);
  CHECK(counted.values_read == values);
  for (int rank = 0; rank < ranks; ++rank) {
    auto const own = sizeof(int) * element_count(partition.memory_shape(rank), "memory");
    auto const chunk = sizeof(int) * element_count(chunks, "a chunk");
    auto const& [write, read] =
        std::pair{counted.writes[static_cast<std::size_t>(rank)], counted.reads[static_cast<std::size_t>(rank)]};
    CHECK(write.bytes <= own + 1024);
    CHECK(read.bytes <= own + 8 * chunk + 1024);  // of the chunks that it owns
    CHECK(write.messages <= 16 + 8 * write.rounds);
    CHECK(read.messages <= 16 + 8 * read.rounds);
    if (memory != 0) CHECK(std::max(write.memory, read.memory) <= memory);
  }
}

TEST_CASE("a rank sends at most its share, each value is written and read once, and memory stays in the budget") {
  for (int ranks : {1, 2, 3, 4, 7, 16}) {
    check_share(ranks, {50, 50}, {8, 8}, 0, 49);
    check_share(ranks, {50, 50}, {8, 8}, 4 * 8 * 8 * sizeof(int), 49);
  }
  check_share(16, {800, 800}, {64, 64}, 0, 13 * 13);  // shares of 160,000 bytes
}

TEST_CASE("ranks agree by the same few calls, however many they are") {
  for (int ranks : {1, 2, 16, 100}) {
    CAPTURE(ranks);
    CountedStore const store;
    create_array<int, 1>(store, "a", {.shape = {4000}, .chunks = {4}});
    auto const aligned = Partition::blocks({4000}, ranks, {.align = {4}}), cut = Partition::blocks({2998}, ranks);
    std::vector<std::uint64_t> calls;
    auto const errors = ThreadRanks::run(ranks, [&](ThreadRanks const& all_ranks) {
      std::vector<std::uint64_t> own{all_ranks.calls()};
      auto const array = open_array<int, 1>(all_ranks, store, "a", Queue<space::Host>{});
      own.push_back(all_ranks.calls());
      auto const count = [&](Partition const& partition, auto const& f) {
        std::vector<int> memory(element_count(partition.memory_shape(all_ranks.rank()), "memory"), 1);
        f(partition, memory);
        own.push_back(all_ranks.calls());
      };
      auto const write = [&](auto const& partition, auto& memory) { write_local(all_ranks, array, partition, memory); };
      count(aligned, write);
      count(cut, [&](auto const& partition, auto& memory) { read_local(all_ranks, array, partition, memory); });
      LocalWriter writer{all_ranks, array, aligned, {.copies = true}};
      count(aligned, [&](auto const&, auto const& memory) { writer.write(memory).detach(); });
      writer.finish();
      own.push_back(all_ranks.calls());
      count(cut, write);
      if (all_ranks.rank() != 0) return;
      for (std::size_t i = 1; i < own.size(); ++i) calls.push_back(own[i] - own[i - 1]);
    });
    CHECK(errors == std::vector<std::string>(static_cast<std::size_t>(ranks)));
    // open_array; of aligned blocks: write_local, read_local, LocalWriter's write and finish; chunks that are shared.
    CHECK(calls == std::vector<std::uint64_t>{2, 3, 3, 4, 1, ranks == 1 ? 3U : 6U});
  }
}

TEST_CASE("a thousand ranks") {
  check_share(1000, {260, 130}, {7, 7}, 0, 38 * 19);
  check_share(1000, {2000, 1000}, {60, 60}, 0, 34 * 17);  // shares of 8,000 bytes
  check_share(1000, {260, 130}, {7, 7}, 4 * 7 * 7 * sizeof(int), 38 * 19);
  // All in one value: it has one owner, and the others send one message with elements each.
  auto const one = count(1000, {100, 100}, {100, 100}, Partition::blocks({100, 100}, 1000));
  CHECK(one.documents_read == 1);
  CHECK(one.values_written == 1);
  CHECK(one.values_read == 1);
  auto const are = [](std::vector<Exchanged> const& counts, std::uint64_t messages) {
    return std::count_if(counts.begin(), counts.end(), [&](Exchanged const& of) { return of.messages == messages; });
  };
  CHECK(are(one.writes, 1) == 999);
  CHECK(are(one.reads, 0) == 999);
}

}  // namespace
