// The common part of the benchmark's programs, tessera's, the loops' and libzarr's: a command line, memory that is
// mapped before the clock starts, and the output. Without tessera.
//
//   PROGRAM ACTION KIND N THREADS REPETITIONS PATH [MORE...]
//
// ACTION is the timed task and KIND the storage of the array; works.py has both, and explains MORE. The array has N^3
// elements and is at PATH. Prints the seconds of each repetition, and a sum of some of the elements read.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/mman.h>

#include "mapped.hpp"

struct Work {
  std::string action, kind;
  std::size_t n, threads;
  int repetitions;
  std::string path;
  std::vector<std::string> more;

  /// Throws: std::runtime_error.
  Work(int argc, char** argv) {
    if (argc < 7) throw std::runtime_error{"usage: ACTION KIND N THREADS REPETITIONS PATH [MORE...]"};
    action = argv[1], kind = argv[2], path = argv[6];
    n = std::stoul(argv[3]), threads = std::stoul(argv[4]), repetitions = std::stoi(argv[5]);
    more.assign(argv + 7, argv + argc);
  }

  bool is_brain() const { return kind.starts_with("brain"); }
  bool is_v2() const { return kind.starts_with("v2"); }
  std::size_t chunk() const { return is_brain() ? 128 : 256; }  // along each axis
  std::size_t chunks() const { return n / chunk(); }            // along each axis
  /// The first plane of the slab: in the middle of the last chunks.
  std::size_t slab() const { return n - chunk() / 2; }
  static constexpr std::size_t slab_planes = 4;

  [[noreturn]] void refuse() const { throw std::runtime_error{"there is no " + action + " of " + kind}; }
};

/// Inner chunks of 32^3: every combination of a place along each axis, and an order to read them one by one.
struct Picks {
  static constexpr std::size_t edge = 32;
  std::vector<std::size_t> places[3], order;

  explicit Picks(std::string const& file) {
    std::ifstream in{file};
    for (auto* line : {&places[0], &places[1], &places[2], &order}) {
      std::string text;
      if (!std::getline(in, text)) throw std::runtime_error{"cannot read " + file};
      std::istringstream words{text};
      for (std::size_t i; words >> i;) line->push_back(i);
    }
  }
  std::size_t length(std::size_t axis) const { return places[axis].size() * edge; }  // of the elements read
  std::size_t elements() const { return length(0) * length(1) * length(2); }
  /// The place of a combination: in the grid of inner chunks, and in the grid of chunks read.
  struct Place {
    std::size_t in[3], to[3];
  };
  Place place(std::size_t i) const {
    Place place;
    for (std::size_t d = 3; d-- > 0; i /= places[d].size()) {
      place.to[d] = i % places[d].size();
      place.in[d] = places[d][place.to[d]];
    }
    return place;
  }
};

/// For a plane of (4 N)^2 elements in chunks of 512^2: that many points, every index in another order along both
/// dimensions, and half of the elements. peers.py has the same.
struct Scattered {
  static constexpr std::size_t chunk = 512;
  std::size_t edge, points;

  explicit Scattered(std::size_t n) : edge{4 * n}, points{edge * edge / 16} {}

  static std::uint64_t noise(std::uint64_t i) {  // splitmix64
    auto z = (i + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// One coordinate of each point, 0 or 1.
  std::vector<std::uint64_t> coordinates(std::size_t d) const {
    std::vector<std::uint64_t> result(points);
    for (std::size_t i = 0; i < points; ++i) result[i] = noise(2 * i + d) % edge;
    return result;
  }
  std::vector<std::uint64_t> shuffled() const {
    std::vector<std::uint64_t> order(edge);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [](auto a, auto b) { return noise(a) < noise(b); });
    return order;
  }
  std::vector<std::uint8_t> mask() const {
    std::vector<std::uint8_t> result(edge * edge);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = noise(i) & 1;
    return result;
  }
  static std::uint16_t value(std::size_t x, std::size_t y) { return static_cast<std::uint16_t>(y + x * x / 32); }
  std::vector<std::uint16_t> values() const {
    std::vector<std::uint16_t> result(edge * edge);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = value(i / edge, i % edge);
    return result;
  }
};

/// Calls f(thread, i) for each i below `count`, on that many threads.
template <class F>
void by_threads(std::size_t threads, std::size_t count, F&& f) {
  std::atomic<std::size_t> next{0};
  std::vector<std::jthread> pool;
  for (std::size_t t = 0; t < threads; ++t)
    pool.emplace_back([&, t] {
      for (std::size_t i; (i = next++) < count;) f(t, i);
    });
}

/// Times f and prints its seconds, divided by `times`; before each repetition `prepare`, which is not timed.
template <class Prepare, class F>
void repeat(Work const& work, Prepare&& prepare, F&& f, double times = 1) {
  for (int r = 0; r < work.repetitions; ++r) {
    prepare();
    auto const start = std::chrono::steady_clock::now();
    f();
    std::printf("%.9f ", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / times);
  }
}
template <class F>
void repeat(Work const& work, F&& f) {
  repeat(
      work, [] {}, f);
}

inline void print_sum(std::uint64_t sum) { std::printf("sum %llu\n", static_cast<unsigned long long>(sum)); }
/// Of every 1009th element, a prime: every chunk has some, and every column.
template <class T>
void print_sum(std::span<T const> elements) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0, k = 1; i < elements.size(); i += 1009, ++k) sum += k * elements[i];
  print_sum(sum);
}
/// One element of each chunk, where chunks are read one by one into the same memory.
inline std::size_t sampled_in_chunk(std::size_t elements) { return elements / 3 * 2; }

/// How often tiny chunks are repeated in one repetition, so that it is long enough to time.
inline std::size_t tiny_rounds(std::size_t chunks) { return chunks < 100000 ? 100000 / chunks : 1; }

/// The elements of the arrays of make_arrays.py.
template <class T>
void fill(std::span<T> elements, std::size_t n) {
  auto* at = elements.data();
  for (std::size_t x = 0; x < n; ++x)
    for (std::size_t y = 0; y < n; ++y)
      for (std::size_t z = 0; z < n; ++z) *at++ = static_cast<T>(z + y * y / 32 + x * x * x);
}
