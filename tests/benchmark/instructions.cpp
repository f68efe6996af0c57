// Six tasks of a fixed size, by one thread, for counting instructions: instructions.py runs this under callgrind,
// which counts within `counted` alone.
//
//   instructions CASE
//
// Each runs once before, so that the steady state is counted. Without CASE the names are printed, each with its number
// of chunks.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

extern "C" [[gnu::noinline]] void counted(std::function<void()> const& work) { work(); }

namespace {

constexpr std::uint64_t edge = 16, across = 4, n = edge * across;  // 64 chunks of 4 KiB
using Inner = Pipeline<space::Host, codec::Bytes>;
using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
using Sharded = Pipeline<space::Host, codec::Sharding<Inner>>;

struct Case {
  std::string name;
  int chunks;
  std::function<void()> work;
};

template <class P>
auto array_of(P const& pipeline, std::uint64_t chunk) {
  auto array = create_array<std::uint8_t, 3>(MemoryStore<HostBuffer>{}, "a",
                                             {.shape = {n, n, n}, .chunks = {chunk, chunk, chunk}}, pipeline,
                                             Queue<space::Host>{1});
  std::vector<std::uint8_t> elements(n * n * n);
  for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<std::uint8_t>(i + i / n * 3 + 1);
  array.write(all, elements);
  return array;
}

std::vector<Case> cases() {
  auto const plain = array_of(Inner{}, edge);
  auto const zstd = array_of(Zstd{}, edge);
  auto const shard = array_of(Sharded{codec::Sharding<Inner>{{edge, edge, edge}}}, n);
  auto const reads = [](auto const& array) {
    return [=, memory = std::vector<std::uint8_t>(n * n * n)]() mutable { array.read(all, memory); };
  };
  ChunkCache const cache{zstd, {.host = n * n * n}};
  auto const hold = [=] {  // one by one
    for (std::uint64_t i = 0; i < n; i += edge)
      for (std::uint64_t j = 0; j < n; j += edge)
        for (std::uint64_t k = 0; k < n; k += edge)
          (void)cache.hold({{i, i + edge}, {j, j + edge}, {k, k + edge}});
  };
  return {{"open", 1, [=] { open_array<std::uint8_t, 3>(plain.untyped().store(), "a", Queue<space::Host>{1}); }},
          {"read-plain", 64, reads(plain)},
          {"read-shard", 64, reads(shard)},
          {"write-plain", 64, [=, memory = std::vector<std::uint8_t>(n * n * n, 7)] { plain.write(all, memory); }},
          {"read-zstd", 64, reads(zstd)},
          {"hold", 64, hold}};
}

}  // namespace

int main(int argc, char** argv) try {
  for (auto const& [name, chunks, work] : cases()) {
    if (argc < 2) {
      std::printf("%s %d\n", name.c_str(), chunks);
    } else if (name == argv[1]) {
      work();
      counted(work);
      return 0;
    }
  }
  return argc < 2 ? 0 : 1;
} catch (std::exception const& error) {
  return std::fprintf(stderr, "instructions: %s\n", error.what()), 1;
}
