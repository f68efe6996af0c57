// tessera's side of strings.py: strings read|write N PATH THREADS REPETITIONS. The lines are seconds, the last one the
// sum of all lengths.
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/array/strings.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

int main(int argc, char** argv) try {
  if (argc != 6) return std::fprintf(stderr, "usage: strings read|write N PATH THREADS REPETITIONS\n"), 2;
  bool const writes = std::string_view{argv[1]} == "write";
  std::size_t const n = std::strtoull(argv[2], nullptr, 10);
  std::string const path = argv[3];
  Queue<space::Host> const on{std::strtoull(argv[4], nullptr, 10)};
  LocalStore<HostBuffer> const from{path}, to{path + "-tessera"};
  using P = Pipeline<space::Host, codec::VlenUtf8, codec::Zstd>;
  std::vector<std::string> strings(n);
  if (writes) open_array<std::string, 1, P>(from, "", on).read(all, strings);
  for (int i = 0; i < std::atoi(argv[5]); ++i) {
    if (!writes) std::vector<std::string>(n).swap(strings);
    auto const begin = std::chrono::steady_clock::now();
    if (writes)
      create_array<std::string, 1>(to, "", {.shape = {n}, .chunks = {n / 64}, .overwrite = true}, P{}, on)
          .write(all, strings);
    else
      open_array<std::string, 1, P>(from, "", on).read(all, strings);
    std::printf("%.9f\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::size_t sum = 0;
  for (auto const& one : strings) sum += one.size();
  std::printf("%zu\n", sum);
} catch (std::exception const& error) {
  return std::fprintf(stderr, "strings: %s\n", error.what()), 2;
}
