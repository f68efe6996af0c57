// tessera beside bare_loop.cpp and bare_write_loop.cpp: the whole of a 1024^3 uint16 array, in 256^3 chunks, at once.
//
//   volume read PATH [THREADS=2] [REPETITIONS=5]                 the array at PATH, raw or zstd
//   volume write raw|zstd PATH [THREADS=2] [REPETITIONS=5]       makes it anew
//
// The memory of the elements is mapped before the first repetition is timed. Opening or creating is in the time.
// Prints seconds per repetition and the median. A read that was not of make_arrays.py's array ends with an error.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string>
#include <vector>

#include <tessera/array/create.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

#include "mapped.hpp"

using namespace tessera;

namespace {

using Element = std::uint16_t;
constexpr std::uint64_t n = 1024;

Element expected(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  return static_cast<Element>(z + y * y / 32 + x * x * x);
}
void fill(std::span<Element> elements) {
  auto* at = elements.data();
  for (std::uint64_t x = 0; x < n; ++x)
    for (std::uint64_t y = 0; y < n; ++y)
      for (std::uint64_t z = 0; z < n; ++z) *at++ = expected(x, y, z);
}
void check(std::span<Element const> elements) {
  for (std::uint64_t i = 0; i < elements.size(); i += 1009)  // a prime: every chunk, every column
    if (elements[i] != expected(i / (n * n), i / n % n, i % n))
      throw Error{"element " + std::to_string(i) + " is not what was written"};
}

template <class F>
void repeat(int repetitions, F&& f) {
  std::vector<double> seconds;
  for (int r = 0; r < repetitions; ++r) {
    auto const start = std::chrono::steady_clock::now();
    f();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    std::printf("%.3f ", seconds.back());
  }
  std::sort(seconds.begin(), seconds.end());
  std::printf("median %.3f s\n", seconds[seconds.size() / 2]);
}

template <class P>
void write(std::string const& path, P const& pipeline, Queue<space::Host> const& on, int repetitions) {
  auto const elements = mapped<Element>(n * n * n);
  fill(elements);
  NewArray<Element> wanted{{n, n, n}, {256, 256, 256}};
  wanted.overwrite = true;
  repeat(repetitions, [&] {
    create_array<Element, 3>(LocalStore<HostBuffer>{path}, "", wanted, pipeline, on).write(all, elements);
  });
}

int run(std::vector<std::string> const& arguments) {
  auto const is = [&](std::size_t i, char const* word) { return arguments.size() > i && arguments[i] == word; };
  bool const writes = is(0, "write") && (is(1, "raw") || is(1, "zstd"));
  std::size_t const path = writes ? 2 : 1;
  if ((!writes && !is(0, "read")) || arguments.size() <= path)
    return std::fprintf(stderr, "usage: volume read PATH|write raw|zstd PATH [THREADS] [REPETITIONS]\n"), 2;
  auto const number = [&](std::size_t i, int otherwise) {
    return arguments.size() > i ? std::stoi(arguments[i]) : otherwise;
  };
  Queue<space::Host> const on{static_cast<std::size_t>(number(path + 1, 2))};
  auto const repetitions = number(path + 2, 5);

  if (writes && is(1, "raw")) {
    write(arguments[path], Pipeline<space::Host, codec::Bytes>{}, on, repetitions);
  } else if (writes) {
    write(arguments[path], Pipeline<space::Host, codec::Bytes, codec::Zstd>{}, on, repetitions);
  } else {
    auto const elements = mapped<Element>(n * n * n);
    repeat(repetitions, [&] {
      LocalStore<HostBuffer> const store{arguments[path]};
      open_array<Element, 3, Codecs<codec::Bytes, codec::Zstd>>(store, "", on).read(all, elements);
    });
    check(elements);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  return run({argv + 1, argv + argc});
} catch (std::exception const& error) {
  return std::fprintf(stderr, "volume: %s\n", error.what()), 1;
}
