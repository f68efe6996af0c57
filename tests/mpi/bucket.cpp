// program ADDRESS FOLDER: the ranks of an MPI program write an array in a bucket of a server, append to it and read it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <mpi/any_ranks.hpp>
#include <parallel/random_partition.hpp>
#include <tessera/parallel/checkpoint.hpp>
#include <tessera/parallel/local.hpp>
#include <tessera/parallel/local_writer.hpp>
#include <tessera/parallel/open.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/s3.hpp>

namespace test {
namespace {

using namespace tessera;

// Where this rank has elements of the partition, in the array's order.
LocalMemory<2> elements_of(Partition const& partition, int rank, std::uint64_t first_row) {
  LocalMemory<2> own{partition, rank};
  for_each_element<2>(partition, {first_row, 0}, rank, false,
                      [&](Extents const& index, Extents const& at) { own.view[at] = element_at(index); });
  return own;
}

}  // namespace

int run(AnyRanks const& ranks, int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  S3Options options;
  options.endpoint = argv[1];
  options.access_key = "AKIDTEST";
  options.secret_key = "sEcret/of+the=test";
  S3Store<HostBuffer> const store{"s3://public/" + std::string{argv[2]}, std::move(options)};

  auto const array = create_array<std::uint32_t, 2>(
      ranks, store, "a", {.shape = {21, 19}, .shards = {8, 8}, .chunks = {4, 4}, .fill = 5}, {},
      Queue<space::Host>{2});
  Exchanged counts;
  auto const partition = Partition::blocks({21, 19}, ranks.size(), {.halo = {1, 1}});  // its blocks cut shards
  write_local(ranks, array, partition, elements_of(partition, ranks.rank(), 0).view, {.exchanged = &counts});
  auto const more = Partition::blocks({6, 19}, ranks.size());
  append(ranks, array, more, elements_of(more, ranks.rank(), 21).view);
  // The last rows again, behind the computation.
  LocalWriter writer{ranks, array, more, {.copies = true}};
  writer.write(elements_of(more, ranks.rank(), 21).view, {21, 0}).detach();
  writer.finish();
  if (ranks.size() > 1 && ranks.least(counts.messages) == 0) throw StoreError{"nothing was sent"};

  for (auto const sharing : {ReadSharing::none, ReadSharing::all}) {
    LocalMemory<2> read{partition, ranks.rank()};
    read_local(ranks, array, partition, read.view, {.sharing = sharing});
    for_each_element<2>(partition, {0, 0}, ranks.rank(), true, [&](Extents const& index, Extents const& at) {
      if (read.view[at] != element_at(index)) throw StoreError{"other elements were read"};
    });
  }
  return EXIT_SUCCESS;
}

}  // namespace test
