// Messages that fail: what is sent at that moment keeps its memory.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <parallel/random_partition.hpp>
#include <parallel/threads.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/local_writer.hpp>
#include <tessera/parallel/open.hpp>
#include <tessera/tessera.hpp>

namespace failing_messages_tests {

using namespace tessera;
using test::FailingWait, test::ThreadRanks;

using Ranks = ThreadRanks const;
using Ints = decltype(open_array<std::uint32_t, 2>(MemoryStore<HostBuffer>{}, "a"));

// Each wait of each rank fails. Returns how many messages were under way then.
std::size_t fail_each(std::function<void(Ranks&, Ints const&, Partition const&)> const& f) {
  MemoryStore<HostBuffer> const store;
  create_array<std::uint32_t, 2>(store, "a", {.shape = {40, 30}, .chunks = {16, 16}});
  auto const partition = Partition::blocks({40, 30}, 3);
  std::size_t sends = 0;
  for (int rank = 0; rank < 3; ++rank)
    for (std::size_t number = 0;; ++number) {
      CAPTURE(rank);
      CAPTURE(number);
      REQUIRE(number < 100);
      FailingWait failing{rank, number};
      auto const errors = ThreadRanks::run(3, [&](Ranks& ranks) {
        f(ranks, open_array<std::uint32_t, 2>(ranks, store, "a", Queue<space::Host>{2}), partition);
      }, 4, nullptr, &failing);
      if (errors == std::vector<std::string>(3)) {
        CHECK(number > 1);  // it failed before
        break;
      }
      CHECK(errors[static_cast<std::size_t>(rank)] == "the network is down");
      CHECK(failing.were_kept);
      sends += failing.sends;
    }
  return sends;
}
std::vector<std::uint32_t> memory_of(Partition const& partition, int rank) {
  return std::vector<std::uint32_t>(element_count(partition.memory_shape(rank), "memory"), 7);
}

TEST_CASE("memory of messages that are sent when another call of the communicator fails is kept until they are read") {
  CHECK(fail_each([](Ranks& ranks, Ints const& array, Partition const& partition) {
          write_local(ranks, array, partition, memory_of(partition, ranks.rank()));
        }) > 0);
  CHECK(fail_each([](Ranks& ranks, Ints const& array, Partition const& partition) {
          // One value in memory at a time: several rounds.
          write_local(ranks, array, partition, memory_of(partition, ranks.rank()), {.memory = 4 * 16 * 16 * 4});
        }) > 0);
  CHECK(fail_each([](Ranks& ranks, Ints const& array, Partition const& partition) {
          auto memory = memory_of(partition, ranks.rank());
          read_local(ranks, array, partition, memory, {.sharing = ReadSharing::all});
        }) > 0);
  CHECK(fail_each([](Ranks& ranks, Ints const& array, Partition const& partition) {
          LocalWriter writer{ranks, array, partition, {.copies = true}};
          writer.write(memory_of(partition, ranks.rank())).detach();
          writer.finish();
        }) > 0);
}

}  // namespace failing_messages_tests
