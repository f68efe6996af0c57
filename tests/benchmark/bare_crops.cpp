// The upper bound of the speed of crops of decoded chunks: rows copied by memcpy, without tessera, and nothing else.
//
//   bare_crops EDGE [SIZE=512] [CHUNK=256] [BATCH_BYTES=33554432] [THREADS=2]
//
// Crops of EDGE^3 uint16 begin anywhere in an array of SIZE^3, which is in memory as chunks of CHUNK^3. As many bytes
// as the array has are copied into three batches in turn. Prints the rate, in bytes a second.
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

using Item = std::uint16_t;
using Place = std::array<std::size_t, 3>;

// It begins on a huge page, and is mapped.
static Item* mapped(std::size_t items) {
  std::size_t const size = items * sizeof(Item), huge = 2u << 20;
  auto* const raw = mmap(nullptr, size + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) std::exit((std::perror("mmap"), 1));
  auto* const memory = reinterpret_cast<Item*>((reinterpret_cast<std::uintptr_t>(raw) + huge - 1) & ~(huge - 1));
  madvise(memory, size, MADV_HUGEPAGE);
  std::memset(memory, 1, size);
  return memory;
}

int main(int argc, char** argv) {
  auto const number = [&](int i, std::size_t other) { return argc > i ? std::strtoul(argv[i], nullptr, 10) : other; };
  auto const edge = number(1, 64), size = number(2, 512), chunk = number(3, 256), threads = number(5, 2);
  auto const crop = edge * edge * edge, crops = std::max<std::size_t>(1, number(4, 32 << 20) / (crop * sizeof(Item)));
  auto const batches = std::max<std::size_t>(1, size * size * size / (crops * crop)), grid = size / chunk;
  auto const* const chunks = mapped(size * size * size);
  Item* const memory[] = {mapped(crops * crop), mapped(crops * crop), mapped(crops * crop)};

  auto const copy = [&](Item* to, Place const& first) {
    for (auto z = first[0]; z < first[0] + edge; ++z)
      for (auto y = first[1]; y < first[1] + edge; ++y)
        for (auto x = first[2]; x < first[2] + edge;) {
          auto const of_chunk = ((z / chunk * grid + y / chunk) * grid + x / chunk) * chunk * chunk * chunk;
          auto const count = std::min(first[2] + edge - x, chunk - x % chunk);
          std::memcpy(to, chunks + of_chunk + ((z % chunk) * chunk + y % chunk) * chunk + x % chunk,
                      count * sizeof(Item));
          to += count, x += count;
        }
  };
  std::mt19937_64 random;
  std::uniform_int_distribution<std::size_t> anywhere{0, size - edge};
  std::vector<Place> places(batches * crops);
  for (auto& place : places)
    for (auto& n : place) n = anywhere(random);

  auto const start = std::chrono::steady_clock::now();
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> pool;
  for (std::size_t t = 0; t < threads; ++t)
    pool.emplace_back([&] {
      for (std::size_t i; (i = next++) < places.size();) copy(memory[i / crops % 3] + i % crops * crop, places[i]);
    });
  for (auto& thread : pool) thread.join();
  std::chrono::duration<double> const taken = std::chrono::steady_clock::now() - start;
  std::printf("%.0f\n", static_cast<double>(places.size() * crop * sizeof(Item)) / taken.count());
}
