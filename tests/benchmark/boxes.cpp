// read_boxes, and read_async of each box, compared with a read of each box: random crops of one array.
//
//   boxes FOLDER [N=256] [CROPS=64] [THREADS=2] [REPETITIONS=9]
//
// Arrays of N^3 float32 in FOLDER, which is best in memory: chunks of 64^3 as they are and through zstd, which halves
// them, and through zstd in shards of 128^3. A batch is as many cubes, each at a place of its own. The ways take turns
// with the same cubes. Prints milliseconds of a batch, the medians; the median, the least and the greatest of the ratios
// of one repetition; and how many chunks the reads decode for each that read_boxes decodes.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "noise.hpp"

#include <tessera/array/read_async.hpp>
#include <tessera/array/read_boxes.hpp>
#include <tessera/node/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

namespace {

using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

struct Given {
  std::string folder;
  std::uint64_t n;
  std::size_t crops, threads;
  int repetitions;
};

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}
template <class F>
double milliseconds(F&& f) {
  auto const start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

template <class Array>
void compare(char const* kind, Array const& array, std::uint64_t edge, Given const& given) {
  std::mt19937_64 random{edge};
  auto const size = static_cast<std::size_t>(edge * edge * edge);
  std::vector<float> memory(given.crops * size), other(memory.size());
  std::vector<double> boxes_took, reads_took, async_took, ratios, async_ratios;
  double decoded = 0;
  for (int r = 0; r <= given.repetitions; ++r) {  // the first one is not counted
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < given.crops; ++i) {
      std::vector<Slice> slices;
      for (int d = 0; d < 3; ++d) {
        auto const first = random() % (given.n - edge + 1);
        slices.push_back({first, first + edge});
      }
      boxes.emplace_back(std::move(slices));
    }
    Traffic together, alone;
    double boxes_time = 0, reads_time = 0;
    auto const read_together = [&] {
      boxes_time = milliseconds([&] { read_boxes(array, boxes, memory, {.traffic = &together}); });
    };
    if (r % 2 == 0) read_together();
    reads_time = milliseconds([&] {
      for (std::size_t i = 0; i < boxes.size(); ++i)
        array.read(boxes[i], std::span{other}.subspan(i * size, size), {.traffic = &alone});
    });
    if (r % 2 == 1) read_together();
    if (memory != other) throw Error{"read_boxes and read differ"};
    std::ranges::fill(other, 0.f);
    auto const async_time = milliseconds([&] {
      std::vector<Pending> reads;
      for (std::size_t i = 0; i < boxes.size(); ++i)
        reads.push_back(read_async(array, boxes[i], std::span{other}.subspan(i * size, size)));
      for (auto& read : reads) read.wait();
    });
    if (memory != other) throw Error{"read_boxes and read_async differ"};
    if (r == 0) continue;
    boxes_took.push_back(boxes_time);
    reads_took.push_back(reads_time);
    async_took.push_back(async_time);
    async_ratios.push_back(reads_time / async_time);
    ratios.push_back(reads_time / boxes_time);
    decoded = static_cast<double>(alone.chunks) / static_cast<double>(together.chunks);
  }
  std::printf("%-12s %3zu crops of %3zu^3: reads %8.1f ms", kind, given.crops, static_cast<std::size_t>(edge),
              median(reads_took));
  auto const print = [](char const* way, std::vector<double> const& took, std::vector<double> const& ratio) {
    auto const [least, greatest] = std::ranges::minmax(ratio);
    std::printf("   %s %8.1f ms, ratio %5.2f [%.2f-%.2f]", way, median(took), median(ratio), least, greatest);
  };
  print("read_boxes", boxes_took, ratios);
  print("read_async", async_took, async_ratios);
  std::printf("   chunks %.2f\n", decoded);
  std::fflush(stdout);
}

template <class P>
void measure(char const* kind, LocalStore<HostBuffer> const& store, Extents const& shards, Given const& given) {
  auto const n = given.n;
  auto const array = create_array<float, 3>(
      store, kind, {.shape = {n, n, n}, .shards = shards, .chunks = {64, 64, 64}, .overwrite = true}, P{},
      Queue<space::Host>{given.threads});
  array.write(all, noise(n * n * n));
  for (std::uint64_t const edge : {32u, 64u, 128u}) compare(kind, array, edge, given);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) return std::fprintf(stderr, "usage: boxes FOLDER [N=256] [CROPS=64] [THREADS=2] [REPETITIONS=9]\n"), 2;
  auto const number = [&](int i, unsigned long usual) { return argc > i ? std::strtoul(argv[i], nullptr, 10) : usual; };
  Given const given{argv[1], number(2, 256), number(3, 64), number(4, 2), static_cast<int>(number(5, 9))};
  LocalStore<HostBuffer> const store{given.folder};
  measure<Pipeline<space::Host, codec::Bytes>>("raw", store, {}, given);
  measure<Zstd>("zstd", store, {}, given);
  measure<Zstd>("zstd-shards", store, {128, 128, 128}, given);
  return 0;
} catch (std::exception const& error) {
  return std::fprintf(stderr, "boxes: %s\n", error.what()), 1;
}
