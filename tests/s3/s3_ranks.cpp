// An S3Store that the ranks of a program write and read together.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <parallel/random_partition.hpp>
#include <parallel/threads.hpp>
#include <support/s3_server.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/open.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

using namespace tessera;
using test::ThreadRanks;

namespace s3_ranks_tests {
namespace {

std::map<std::string, std::string> values_in(S3Store<HostBuffer> const& store) {
  std::map<std::string, std::string> values;
  Queue<space::Host> on;
  std::vector<std::string> keys;
  store.list("", [&](Listed const& found) { keys.emplace_back(found.path); });
  for (auto const& key : keys) {
    auto const value = get_value(store, Key{key}, on);
    values[key] = {reinterpret_cast<char const*>(value->view().data), value->view().size};
  }
  return values;
}

}  // namespace

TEST_CASE("ranks write a sharded array in a bucket as one process does, and read it") {
  if (!test::has_s3("ranks in a bucket")) return;
  test::S3Server const server;
  NewArray<std::uint32_t> const wanted{.shape = {21, 19}, .shards = {8, 8}, .chunks = {4, 4}, .fill = 5};
  auto const serial = create_array<std::uint32_t, 2>(server.at("alone"), "a", wanted);
  auto whole = serial.read(all);
  auto const one = Partition::blocks({21, 19}, 1);
  test::for_each_element<2>(one, {0, 0}, 0, false, [&](Extents const& index, Extents const&) {
    whole[index] = test::element_at(index);
  });
  serial.write(all, whole);
  auto const expected = values_in(server.at("alone"));
  CHECK(expected.size() == 11);  // nine shards, and two documents

  for (int ranks : {2, 3, 4}) {
    CAPTURE(ranks);
    auto const folder = "ranks" + std::to_string(ranks);
    auto const partition = Partition::blocks({21, 19}, ranks, {.halo = {1, 1}});  // its blocks cut shards
    auto const errors = ThreadRanks::run(ranks, [&](ThreadRanks const& all_ranks) {
      auto const store = server.at(folder);  // of its own, as in a process of its own
      auto const array = create_array<std::uint32_t, 2>(all_ranks, store, "a", wanted, {}, Queue<space::Host>{2});
      test::LocalMemory<2> own{partition, all_ranks.rank()};
      test::for_each_element<2>(
          partition, {0, 0}, all_ranks.rank(), false,
          [&](Extents const& index, Extents const& at) { own.view[at] = test::element_at(index); });
      Exchanged counts;
      write_local(all_ranks, array, partition, own.view, {.exchanged = &counts});
      if (all_ranks.least(~counts.messages) == ~std::uint64_t{0}) throw StoreError{"nothing was sent"};
      test::LocalMemory<2> read{partition, all_ranks.rank()};
      read_local(all_ranks, array, partition, read.view, {.sharing = ReadSharing::all});
      test::for_each_element<2>(partition, {0, 0}, all_ranks.rank(), true,
                                [&](Extents const& index, Extents const& at) {
                                  if (read.view[at] != test::element_at(index))
                                    throw StoreError{"other elements were read"};
                                });
    });
    CHECK(errors == std::vector<std::string>(static_cast<std::size_t>(ranks)));
    CHECK(values_in(server.at(folder)) == expected);
  }
}

}  // namespace s3_ranks_tests
