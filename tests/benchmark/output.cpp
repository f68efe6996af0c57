// output [STEPS]: what output costs a program that computes for 5 ms a step and writes an array of 4 ms.
//
//     cmake --build build/release --target output && mpirun -n 1 build/release/bin/output
//
// A step is 5 ms of processor time. Printed are the medians of elapsed times, with their quarters: of the write alone,
// of a step without output, of one that waits for its write, and of one that does not. Each rank needs two cores.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <tessera/tessera.hpp>
#include <tessera/with/mpi.hpp>
#include <tessera/with/zstd.hpp>

namespace {

using namespace tessera;

double processor_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void compute() {
  auto const end = processor_seconds() + 0.005;
  while (processor_seconds() < end) {}
}

// The median of the elapsed times of `step`, and its quarters, in ms.
template <class Step>
void print(std::string const& name, int steps, Step const& step) {
  std::vector<double> ms;
  for (int i = 0; i < steps; ++i) {
    auto const start = MPI_Wtime();
    step(i);
    ms.push_back(1e3 * (MPI_Wtime() - start));
  }
  std::sort(ms.begin(), ms.end());
  auto const at = [&](std::size_t quarter) { return ms[(ms.size() - 1) * quarter / 4]; };
  std::cout << name << ": " << at(2) << " ms (" << at(1) << " to " << at(3) << ")\n";
}

void measure(int steps) {
  MpiCommunicator const ranks{MPI_COMM_WORLD};
  auto const folder = std::filesystem::temp_directory_path() / "tessera-output";
  if (ranks.rank() == 0) std::filesystem::remove_all(folder);
  LocalStore<HostBuffer> const store{folder.string()};
  constexpr std::uint64_t edge = 1024;  // 4 MiB a step
  auto const partition = Partition::blocks({1, edge, edge}, ranks.size());
  std::vector<float> memory(element_count(partition.memory_shape(ranks.rank()), "memory"));
  std::mt19937 random{1};
  for (auto& element : memory) {  // noise in the two lower bytes
    auto const bits = 0x3f800000u | (static_cast<std::uint32_t>(random()) & 0xffffu);
    std::memcpy(&element, &bits, sizeof bits);
  }
  using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  auto const make = [&](std::string const& name) {
    NewArray<float> const wanted{.shape = {static_cast<std::uint64_t>(steps), edge, edge}, .chunks = {1, 256, 256}};
    return create_array<float, 3>(ranks, store, name, wanted, Zstd{{}, codec::Zstd{-10}}, Queue<space::Host>{2});
  };
  auto const origin = [](int i) { return Extents{static_cast<std::uint64_t>(i), 0, 0}; };
  auto const waits = make("waits"), goes_on = make("goes_on");
  LocalWriter awaited{ranks, waits, partition};
  print("write alone", steps, [&](int i) { awaited.write(memory, origin(i)).wait(); });
  print("step without output", steps, [](int) { compute(); });
  print("step, and its write awaited", steps, [&](int i) {
    compute();
    awaited.write(memory, origin(i)).wait();
  });
  awaited.finish();
  LocalWriter behind{ranks, goes_on, partition, {.copies = true}};
  print("step, and its write behind the next", steps, [&](int i) {
    compute();
    behind.write(memory, origin(i)).detach();
  });
  behind.finish();
  if (ranks.rank() == 0) std::filesystem::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    measure(argc > 1 ? std::atoi(argv[1]) : 400);
  } catch (std::exception const& error) {
    std::cerr << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
}
