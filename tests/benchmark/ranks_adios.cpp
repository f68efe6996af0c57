// ranks_adios FOLDER REPETITIONS: ADIOS2's side of ranks.py, which says what is printed. Its format, BP5, has no gzip.
#include <adios2.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "noise.hpp"

namespace {

// Seconds of this many ticks of all ranks.
double processor_time(std::clock_t ticks) {
  auto seconds = static_cast<double>(ticks) / CLOCKS_PER_SEC;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return seconds;
}

void write(std::string const& path, std::size_t edge, adios2::Dims const& at, adios2::Dims const& size,
           std::vector<float> const& memory) {
  adios2::ADIOS adios{MPI_COMM_WORLD};
  auto io = adios.DeclareIO("write");
  auto engine = io.Open(path, adios2::Mode::Write);
  auto const variable = io.DefineVariable<float>("a", {edge, edge, edge}, at, size, adios2::ConstantDims);
  engine.BeginStep();
  engine.Put(variable, memory.data());
  engine.EndStep();
  engine.Close();
}

void read(std::string const& path, adios2::Dims const& at, adios2::Dims const& size, std::vector<float>& memory) {
  adios2::ADIOS adios{MPI_COMM_WORLD};
  auto io = adios.DeclareIO("read");
  auto engine = io.Open(path, adios2::Mode::Read);
  engine.BeginStep();
  auto variable = io.InquireVariable<float>("a");
  variable.SetSelection({at, size});
  engine.Get(variable, memory.data());
  engine.EndStep();
  engine.Close();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  MPI_Init(&argc, &argv);
  constexpr std::size_t edge = 256;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (bool const cuts : {false, true}) {
    auto const first = [&](int i) {
      auto const n = static_cast<std::size_t>(i);
      return n * edge / static_cast<std::size_t>(ranks) - (cuts && i > 0 && i < ranks ? 10 : 0);
    };
    adios2::Dims const at{first(rank), 0, 0}, size{first(rank + 1) - first(rank), edge, edge};
    auto const memory = noise(size[0] * edge * edge, static_cast<unsigned>(rank));
    std::vector<float> again(memory.size());
    std::string const name = cuts ? "cut-none" : "whole-none", path = std::string{argv[1]} + '/' + name;
    for (int i = 0; i < std::atoi(argv[2]); ++i) {
      if (rank == 0) std::filesystem::remove_all(path);
      std::fill(again.begin(), again.end(), 0.0f);
      MPI_Barrier(MPI_COMM_WORLD);
      auto const start = MPI_Wtime();
      auto const before = std::clock();
      write(path, edge, at, size, memory);
      MPI_Barrier(MPI_COMM_WORLD);
      auto const written = MPI_Wtime();
      auto const between = std::clock();
      read(path, at, size, again);
      MPI_Barrier(MPI_COMM_WORLD);
      auto const end = MPI_Wtime();
      auto const after = std::clock();
      auto const of_write = processor_time(between - before), of_read = processor_time(after - between);
      int is_same = memory == again;
      MPI_Allreduce(MPI_IN_PLACE, &is_same, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
      if (rank == 0)
        std::cout << name << ' ' << written - start << ' ' << end - written << ' ' << of_write << ' ' << of_read << ' '
                  << is_same << '\n';
    }
  }
  MPI_Finalize();
}
