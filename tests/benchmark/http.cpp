// tessera's side of http.py: http ADDRESS THREADS PATH. Reads an array of int32 whole, twice, and prints the second
// one's seconds and the sum of its elements: connections are open then, as in a peer's process.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <tessera/tessera.hpp>
#include <tessera/with/curl.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

namespace {

template <std::size_t Rank>
void read(HttpStore const& store, std::string const& path, Queue<space::Host> const& on) {
  for (int i = 0; i < 2; ++i) {
    auto const begin = std::chrono::steady_clock::now();
    auto const array = open_array<std::int32_t, Rank, Codecs<codec::Bytes, codec::Zstd>>(store, path, on);
    auto const elements = array.read(all);
    std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - begin;
    std::int64_t sum = 0;
    for (auto const one : elements) sum += one;
    if (i == 1) std::printf("%.6f %lld\n", seconds.count(), static_cast<long long>(sum));
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 4) return std::fprintf(stderr, "usage: http ADDRESS THREADS PATH\n"), 2;
  HttpStore const store{argv[1]};
  Queue<space::Host> const on{std::strtoull(argv[2], nullptr, 10)};
  std::string const path = argv[3];
  path == "small" ? read<2>(store, path, on) : read<3>(store, path, on);
} catch (std::exception const& error) {
  return std::fprintf(stderr, "http: %s\n", error.what()), 2;
}
