// heat FOLDER STEPS [LENGTH]: a heat equation in three dimensions on the ranks of an MPI program. Every ten steps all
// ranks append their part of the temperatures to one sharded array. If the folder has the array, the program goes on
// from its last step, with any number of ranks:
//
//     mpirun -n 4 heat heat.zarr 20 && mpirun -n 3 heat heat.zarr 20
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <tessera/tessera.hpp>
#include <tessera/with/mpi.hpp>
#include <tessera/with/zstd.hpp>

namespace {

using namespace tessera;
using Stored = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

// The planes of one rank and one of each neighbour, in C order.
struct Slab {
  std::uint64_t planes, length;
  std::vector<double> now = std::vector<double>(planes * length * length), next = now;

  double* plane(std::uint64_t z) { return now.data() + z * length * length; }
};

void exchange_halo(Slab& slab, int rank, int ranks) {
  auto const count = static_cast<int>(slab.length * slab.length);
  int const below = rank > 0 ? rank - 1 : MPI_PROC_NULL, above = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
  MPI_Sendrecv(slab.plane(1), count, MPI_DOUBLE, below, 0, slab.plane(slab.planes - 1), count, MPI_DOUBLE, above, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(slab.plane(slab.planes - 2), count, MPI_DOUBLE, above, 0, slab.plane(0), count, MPI_DOUBLE, below, 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

// The border of the cube keeps its temperature.
void step(Slab& slab) {
  auto const row = slab.length, plane = row * row;
  slab.next = slab.now;
  for (std::uint64_t z = 1; z + 1 < slab.planes; ++z)
    for (std::uint64_t y = 1; y + 1 < row; ++y)
      for (std::uint64_t x = 1; x + 1 < row; ++x) {
        auto const* const at = slab.now.data() + z * plane + y * row + x;
        auto const around = at[-1] + at[1] + *(at - row) + at[row] + *(at - plane) + at[plane];
        slab.next[static_cast<std::size_t>(at - slab.now.data())] = *at + 0.1 * (around - 6 * *at);
      }
  std::swap(slab.now, slab.next);
}

void simulate(std::string const& folder, int steps, std::uint64_t length) {
  MpiCommunicator const ranks{MPI_COMM_WORLD};
  LocalStore<HostBuffer> const store{folder};
  Queue<space::Host> const threads{1};  // for each rank: the others have the other processors

  // Planes go to the ranks in slabs, whatever the shards are. A rank's memory also has the planes beside its own.
  auto const partition = Partition::blocks({1, length, length, length}, ranks.size(),
                                           {.grid = {1, ranks.size(), 1, 1}, .halo = {0, 1, 0, 0}});
  auto const own = partition.memory_shape(ranks.rank());
  if (length < 2 * static_cast<std::uint64_t>(ranks.size())) throw Error{"a rank would have less than two planes"};
  Slab slab{own[1], length};
  auto const memory = [&] { return ArrayView<double, 4>::c_order(slab.plane(0), own); };

  auto const array = [&] {
    try {
      return open_array<double, 4, Stored>(ranks, store, "temperature", threads);
    } catch (NodeNotFound const&) {  // on all ranks
      auto const chunk = (length + 3) / 4, shard = 2 * chunk;
      return create_array<double, 4>(ranks, store, "temperature",
                              {.shape = {0, length, length, length},
                               .shards = {1, shard, shard, shard},
                               .chunks = {1, chunk, chunk, chunk},
                               .dimension_names = {"time", "z", "y", "x"}},
                              Stored{}, threads);
    }
  }();
  if (auto const last = array.shape()[0]; last > 0) {
    read_local(ranks, array, partition, memory(), {.origin = {last - 1, 0, 0, 0}, .sharing = ReadSharing::node});
  } else if (ranks.rank() == 0) {
    std::fill_n(slab.plane(0), length * length, 100.0);  // one hot side
  }

  for (int i = 1; i <= steps; ++i) {
    exchange_halo(slab, ranks.rank(), ranks.size());
    step(slab);
    if (i % 10 == 0) append(ranks, array, partition, memory());
  }
  if (ranks.rank() == 0) std::cout << array.shape() << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = EXIT_SUCCESS;
  try {
    if (argc < 3) throw Error{"expected a folder and a number of steps"};
    simulate(argv[1], std::stoi(argv[2]), argc > 3 ? std::stoull(argv[3]) : 40);
  } catch (Error const& error) {
    std::cerr << error.what() << '\n';  // the same on all ranks
    status = EXIT_FAILURE;
  }
  MPI_Finalize();
  return status;
}
