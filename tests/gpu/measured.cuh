// Common code of the measurements in this folder: times with their spread, and elements that encode their place.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include <tessera/tessera.cuh>

namespace measured {

inline void good(cudaError_t status, char const* call) { tessera::detail::check(status, call); }

/// Seconds of each repetition, in ascending order. f returns when its work is done. The first is not counted.
template <class F>
std::vector<double> seconds(int repetitions, F&& f) {
  std::vector<double> result;
  for (int i = 0; i <= repetitions; ++i) {
    auto const begin = std::chrono::steady_clock::now();
    f();
    std::chrono::duration<double> const passed = std::chrono::steady_clock::now() - begin;
    if (i > 0) result.push_back(passed.count());
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// "ms | p10 to p90 | GB/s", cells of a table.
inline std::string cells(std::vector<double> const& sorted, std::uint64_t bytes) {
  auto const at = [&](std::size_t tenths) { return sorted[(sorted.size() - 1) * tenths / 10]; };
  char text[128];
  std::snprintf(text, sizeof text, "%.3f | %.3f to %.3f | %.2f", 1e3 * at(5), 1e3 * at(1), 1e3 * at(9),
                1e-9 * static_cast<double>(bytes) / at(5));
  return text;
}
inline constexpr char const* cell_names = "ms | p10 to p90 | GB/s";

/// The number at place i: it differs between neighbours, rows and planes, and every byte of it changes.
TESSERA_HOST_DEVICE inline std::uint64_t number(std::uint64_t i) {
  i = (i ^ i >> 31) * 0x9e3779b97f4a7c15u;
  return i ^ i >> 29;
}

/// Adds one for each element that differs from f of its place: `wrong` is memory of both sides.
template <class T, class F>
struct Look {
  T const* elements;
  F expected;
  unsigned char* wrong;
  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    if (elements[i] != expected(i)) *wrong = 1;
  }
};

/// Whether elements[i] is expected(i) for each i below count. Waits.
template <class T, class F>
bool all_are(T const* elements, std::uint64_t count, F const& expected, tessera::Queue<tessera::space::Device>& on) {
  tessera::PinnedBuffer flag(1, on);
  auto* const wrong = reinterpret_cast<unsigned char*>(flag.span().data);
  *wrong = 0;
  tessera::launch(on, count, Look<T, F>{elements, expected, wrong});
  on.wait();
  return *wrong == 0;
}

/// Bytes that no element has, so that unwritten ones show.
inline void spoil(tessera::ByteSpan<tessera::space::Device> memory, tessera::Queue<tessera::space::Device>& on) {
  good(cudaMemsetAsync(memory.data, 0xee, memory.size, on.stream()), "cudaMemsetAsync");
  on.wait();
}

/// main of a measurement: 77 without a GPU, 1 after an error or wrong elements.
template <class F>
int run(F&& f) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // results are printed at once, because the run may be cut short
  int devices = 0;
  auto const status = cudaGetDeviceCount(&devices);
  if (status != cudaSuccess || devices == 0) {
    std::fprintf(stderr, "there is no GPU (%s): nothing was measured\n", cudaGetErrorName(status));
    return 77;  // which test runners treat as "skipped"
  }
  try {
    if (f()) return 0;
    std::fprintf(stderr, "WRONG: elements were not where they belong\n");
  } catch (std::exception const& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}

}  // namespace measured
