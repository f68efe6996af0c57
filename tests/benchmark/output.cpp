// output [STEPS [ROWS]]: what output costs a program that computes for 5 ms a step and writes an array of 4 ms.
//
//     cmake --build build/release --target output && mpirun -n 1 build/release/bin/output
//
// Prints medians and quarters of ten rounds of STEPS: the elapsed times of the write alone, of a step without output,
// of one that waits for its write, and of one that does not; and the processor time of the thread that computes, in
// the call of `write` that does not wait. A rank's part is one chunk, which one thread encodes: a rank needs two cores.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include <tessera/tessera.hpp>
#include <tessera/with/mpi.hpp>
#include <tessera/with/zstd.hpp>

#include "noise.hpp"

namespace {

using namespace tessera;

// Keeps a core busy, without calling the system or memory.
class Work {
 public:
  void run(std::uint64_t rounds) {
    for (std::uint64_t i = 0; i < rounds; ++i) state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    last_ = state_;
  }

  // Rounds that take 5 ms on a core of their own.
  std::uint64_t rounds_of_a_step() {
    constexpr std::uint64_t tried = 1'000'000;
    double least = 1;
    for (int i = 0; i < 20; ++i) {
      auto const start = MPI_Wtime();
      run(tried);
      least = std::min(least, MPI_Wtime() - start);
    }
    return static_cast<std::uint64_t>(0.005 / least * tried);
  }

 private:
  std::uint64_t state_ = 1;
  std::uint64_t volatile last_ = 0;
};

// The times of one kind of step, in ms.
struct Times {
  std::string name;
  std::vector<double> ms{};

  template <class Step>
  void measure(int steps, Step const& step) {
    for (int i = 0; i < steps; ++i) add(MPI_Wtime, [&] { step(i); });
  }
  template <class F>
  void add(double (*clock)(), F const& f) {
    auto const start = clock();
    f();
    ms.push_back(1e3 * (clock() - start));
  }

  // The median, and the quarters.
  void print() {
    std::sort(ms.begin(), ms.end());
    auto const at = [&](std::size_t quarter) { return ms[(ms.size() - 1) * quarter / 4]; };
    std::cout << name << ": " << at(2) << " ms (" << at(1) << " to " << at(3) << ")\n";
  }
};

// Seconds of the calling thread.
double processor_time() {
  std::timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void measure(int steps, std::uint64_t rows) {
  MpiCommunicator const ranks{MPI_COMM_WORLD};
  auto const folder = std::filesystem::temp_directory_path() / "tessera-output";
  if (ranks.rank() == 0) std::filesystem::remove_all(folder);
  LocalStore<HostBuffer> const store{folder.string()};
  constexpr std::uint64_t places = 8;  // written in turn, so that the memory of files is used again
  auto const partition = Partition::blocks({1, rows, 1024}, ranks.size());
  auto const memory = noise(element_count(partition.memory_shape(ranks.rank()), "memory"));
  using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  auto const make = [&](std::string const& name) {
    NewArray<float> const wanted{.shape = {places, rows, 1024}, .chunks = {1, rows, 1024}};
    return create_array<float, 3>(ranks, store, name, wanted, Zstd{{}, codec::Zstd{-10}}, Queue<space::Host>{2});
  };
  auto const origin = [](int i) { return Extents{static_cast<std::uint64_t>(i) % places, 0, 0}; };
  Work work;
  auto const compute = [&, rounds = work.rounds_of_a_step()] { work.run(rounds); };
  auto const waits = make("waits"), goes_on = make("goes_on");
  LocalWriter awaited{ranks, waits, partition};
  LocalWriter behind{ranks, goes_on, partition, {.copies = true}};
  Times alone{"write alone"}, without{"step without output"}, waited{"step, and its write awaited"},
      went_on{"step, and its write behind the next"}, called{"processor time of that call"};
  for (int round = 0; round < 10; ++round) {  // in turn: processors change their speed
    alone.measure(steps, [&](int i) { awaited.write(memory, origin(i)).wait(); });
    without.measure(steps, [&](int) { compute(); });
    waited.measure(steps, [&](int i) {
      compute();
      awaited.write(memory, origin(i)).wait();
    });
    went_on.measure(steps, [&](int i) {
      compute();
      called.add(processor_time, [&] { behind.write(memory, origin(i)).detach(); });
    });
    behind.finish();
  }
  for (auto* times : {&alone, &without, &waited, &went_on, &called}) times->print();
  if (ranks.rank() == 0) std::filesystem::remove_all(folder);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    measure(argc > 1 ? std::atoi(argv[1]) : 40, argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 128);
  } catch (std::exception const& error) {
    std::cerr << error.what() << '\n';
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
  }
  MPI_Finalize();
}
