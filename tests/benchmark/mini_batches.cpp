// The effect of the size of a mini-batch: arrays of run.py's folder, read whole into mapped memory, with mini-batches
// of different decoded sizes.
//
//   mini_batches FOLDER [THREADS=2] [REPETITIONS=9] [KIND...]
//
// The kinds are those of works.py; the default is arrays of small chunks, of shards and of chunks of 2 MiB. Sizes take
// turns. Prints the median of each, and its ratio to the default, with the minimum and the maximum over repetitions.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

#include "mapped.hpp"

using namespace tessera;

namespace {

constexpr std::size_t KiB = 1024;
constexpr std::size_t sizes[] = {0,          16 * KiB,   128 * KiB,  512 * KiB,
                                 1024 * KiB, 2048 * KiB, 8192 * KiB, 65536 * KiB};  // 0: the default

double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class T, class Array>
void measure(std::string const& kind, Array const& array, int repetitions) {
  auto const elements = mapped<T>(array.size());
  std::vector<std::vector<double>> taken(std::size(sizes));
  for (int r = 0; r <= repetitions; ++r)
    for (std::size_t i = 0; i < std::size(sizes); ++i) {
      auto const start = std::chrono::steady_clock::now();
      array.read(all, elements, {.mini_batch_bytes = sizes[i]});
      std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - start;
      if (r > 0) taken[i].push_back(seconds.count());  // the first warms up
    }
  for (std::size_t i = 0; i < std::size(sizes); ++i) {
    std::vector<double> ratios;
    for (std::size_t r = 0; r < taken[i].size(); ++r) ratios.push_back(taken[i][r] / taken[0][r]);
    auto const [least, most] = std::ranges::minmax(ratios);
    auto const name = sizes[i] == 0 ? "default" : std::to_string(sizes[i] / KiB) + " KiB";
    std::printf("%-12s %9s  %.3f s  %.2f of the default's [%.2f to %.2f]\n", kind.c_str(), name.c_str(),
                median(taken[i]), median(ratios), least, most);
  }
}

// Chunks of 4 KiB, in memory: from files, opening them would dominate.
void measure_small(std::size_t threads, int repetitions) {
  MemoryStore<HostBuffer> const store;
  auto const array =
      create_array<std::uint8_t, 3>(store, "small", {.shape = {512, 512, 512}, .chunks = {16, 16, 16}},
                                    Pipeline<space::Host, codec::Bytes, codec::Zstd>{}, Queue<space::Host>{threads});
  auto const elements = mapped<std::uint8_t>(array.size());
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint8_t>(i * 7 / 64);
  array.write(all, elements);
  measure<std::uint8_t>("4 KiB, zstd", array, repetitions);
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> const arguments(argv + 1, argv + argc);
  auto const number = [&](std::size_t i, std::size_t otherwise) {
    return i < arguments.size() ? std::stoul(arguments[i]) : otherwise;
  };
  auto const threads = number(1, 2);
  auto const repetitions = static_cast<int>(number(2, 9));
  std::vector<std::string> kinds(arguments.begin() + std::min<std::ptrdiff_t>(3, std::ssize(arguments)),
                                 arguments.end());
  if (kinds.empty()) {
    kinds = {"shard32", "shard64", "brain-zstd", "brain-lz4"};
    measure_small(threads, repetitions);
  }
  for (auto const& kind : kinds) {
    LocalStore<HostBuffer> const store{arguments.at(0) + '/' + kind + ".zarr"};
    Queue<space::Host> const on{threads};
    if (kind.starts_with("brain"))
      measure<std::uint8_t>(kind, open_array<std::uint8_t, 3, AllCodecs>(store, "", on), repetitions);
    else
      measure<std::uint16_t>(kind, open_array<std::uint16_t, 3, AllCodecs>(store, "", on), repetitions);
  }
} catch (std::exception const& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
