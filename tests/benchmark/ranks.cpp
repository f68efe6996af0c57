// ranks FOLDER REPETITIONS: tessera's side of ranks.py, which says what is printed.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <tessera/tessera.hpp>
#include <tessera/with/deflate.hpp>
#include <tessera/with/mpi.hpp>

#include "noise.hpp"

namespace {

using namespace tessera;

// Seconds of this many ticks of all ranks.
double processor_time(std::clock_t ticks) {
  auto seconds = static_cast<double>(ticks) / CLOCKS_PER_SEC;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return seconds;
}

template <class P>
void measure(MpiCommunicator const& ranks, std::string const& folder, int repetitions, std::string const& name,
             bool cuts, P const& pipeline) {
  constexpr std::uint64_t edge = 256;
  LocalStore<HostBuffer> const store{folder};
  std::vector<Box> boxes;
  auto const count = static_cast<std::uint64_t>(ranks.size());
  auto const first = [&](std::uint64_t i) { return i * edge / count - (cuts && i > 0 && i < count ? 10 : 0); };
  for (std::uint64_t i = 0; i < count; ++i) boxes.push_back({{first(i), first(i + 1)}, all, all});
  auto const partition = Partition::boxes({edge, edge, edge}, boxes);
  auto const memory = noise(element_count(partition.memory_shape(ranks.rank()), "memory"),
                            static_cast<unsigned>(ranks.rank()));
  std::vector<float> read(memory.size());
  for (int i = 0; i < repetitions; ++i) {
    if (ranks.rank() == 0) std::filesystem::remove_all(folder + '/' + name);
    std::fill(read.begin(), read.end(), 0.0f);
    ranks.least(0);
    auto const start = MPI_Wtime();
    auto const before = std::clock();
    MpiCommunicator const own{MPI_COMM_WORLD};  // as the peers, which take the communicator each time
    auto const array = create_array<float, 3>(own, store, name, {.shape = {edge, edge, edge}, .chunks = {64, 64, 64}},
                                              pipeline, Queue<space::Host>{1});
    write_local(own, array, partition, memory);
    ranks.least(0);
    auto const written = MPI_Wtime();
    auto const between = std::clock();
    auto const again = open_array<float, 3, P>(own, store, name, Queue<space::Host>{1});
    read_local(own, again, partition, read);
    ranks.least(0);
    auto const end = MPI_Wtime();
    auto const after = std::clock();
    auto const of_write = processor_time(between - before), of_read = processor_time(after - between);
    bool const is_same = ranks.least(read == memory) == 1;
    if (ranks.rank() == 0)
      std::cout << name << ' ' << written - start << ' ' << end - written << ' ' << of_write << ' ' << of_read << ' '
                << is_same << '\n';
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  MPI_Init(&argc, &argv);
  try {
    MpiCommunicator const ranks{MPI_COMM_WORLD};
    std::string const folder{argv[1]};
    auto const repetitions = std::atoi(argv[2]);
    using Plain = Pipeline<space::Host, codec::Bytes>;
    using Gzip = Pipeline<space::Host, codec::Bytes, codec::Gzip>;
    for (bool const cuts : {false, true}) {
      std::string const boxes = cuts ? "cut" : "whole";
      measure(ranks, folder, repetitions, boxes + "-none", cuts, Plain{});
      measure(ranks, folder, repetitions, boxes + "-gzip", cuts, Gzip{{}, codec::Gzip{1}});
    }
  } catch (std::exception const& error) {
    std::cerr << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
}
