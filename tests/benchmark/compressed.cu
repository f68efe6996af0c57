// Reads a zstd array into device memory through the host's codecs, compared with its two halves: decoding alone, into
// host memory, and copying alone. If they overlap, the whole takes as long as the longer of them.
//
//   compressed [REPETITIONS=9] [THREADS=all] [ALONG=512]
//
// Prints a table: for each the median time, the spread between the 10th and the 90th percentile, and the ratio of the
// whole to the larger half. Every element is checked. Exits with 77 without a GPU.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>

#include <gpu/measured.cuh>
#include <tessera/tessera.cuh>
#include <tessera/with/zstd.hpp>

using namespace tessera;

namespace {

constexpr std::uint64_t chunk = 64;

// Milliseconds of each repetition, in ascending order. The first is not counted.
template <class F>
std::vector<double> time(int repetitions, F&& f) {
  std::vector<double> result;
  for (int i = 0; i <= repetitions; ++i) {
    auto const begin = std::chrono::steady_clock::now();
    f();
    std::chrono::duration<double, std::milli> const passed = std::chrono::steady_clock::now() - begin;
    if (i > 0) result.push_back(passed.count());
  }
  std::sort(result.begin(), result.end());
  return result;
}

double print(char const* what, std::vector<double> const& times) {
  auto const at = [&](std::size_t tenths) { return times[(times.size() - 1) * tenths / 10]; };
  std::printf("| %s | %.1f | %.1f to %.1f |\n", what, times[times.size() / 2], at(1), at(9));
  return times[times.size() / 2];
}

/// Whether all elements were those written.
bool decode_and_copy(int repetitions, std::size_t threads, std::uint64_t along) {
  using OnHost = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  using OnDevice = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Zstd>;
  Queue<space::Host> pool{threads};
  Queue<space::Device> on{pool};
  MemoryStore<HostBuffer> const store;
  Extents const shape{along, along, along};
  auto const decoded =
      create_array<float, 3>(store, "a", {.shape = shape, .chunks = {chunk, chunk, chunk}}, OnHost{}, pool);
  std::vector<float> elements(along * along * along);
  for (std::size_t i = 0; i < elements.size(); ++i)  // half of each element is noise
    elements[i] = static_cast<float>(i / along) + static_cast<float>(static_cast<std::uint16_t>(i * 40503u)) / 65536;
  decoded.write(all, elements);
  auto const written = elements;

  auto const whole = open_array<float, 3, OnDevice>(store, "a", on);
  OwnedArray<float, 3, DeviceBuffer> there{shape, on};
  auto const bytes = elements.size() * sizeof(float);
  PinnedBuffer staged{bytes, on};
  std::printf("%zu threads, %llu^3 float32 in chunks of %llu^3\n\n| | ms | p10 to p90 |\n|---|---|---|\n", threads,
              static_cast<unsigned long long>(along), static_cast<unsigned long long>(chunk));
  auto const decoding = print("decoding alone", time(repetitions, [&] { decoded.read(all, elements); }));
  auto const copying = print("copying alone", time(repetitions, [&] {
                               crossing<space::Device, space::Pinned>::copy(
                                   staged.view(), {reinterpret_cast<std::byte*>(there.data()), bytes}, on);
                               on.wait();
                             }));
  auto* const seen = reinterpret_cast<std::byte*>(there.data());
  if (cudaMemsetAsync(seen, 0xee, bytes, on.stream()) != cudaSuccess) throw Error{"cudaMemsetAsync failed"};
  auto const both = print("the array, into device memory", time(repetitions, [&] { whole.read(all, there).wait(); }));
  std::printf("\n%.3f of the larger half\n", both / std::max(decoding, copying));
  crossing<space::Pinned, space::Device>::copy({seen, bytes}, staged.span(), on);
  on.wait();
  return std::memcmp(staged.view().data, written.data(), bytes) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  return measured::run([&] {
    return decode_and_copy(
        argc > 1 ? std::atoi(argv[1]) : 9,
        argc > 2 ? static_cast<std::size_t>(std::atoi(argv[2])) : std::thread::hardware_concurrency(),
        argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 512);
  });
}
