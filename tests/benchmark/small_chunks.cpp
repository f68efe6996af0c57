// What tessera adds to the codec's own time, per chunk: arrays of 16^3 uint8 chunks in a MemoryStore, one thread.
//
//   small_chunks [REPETITIONS=15]
//
// Each repetition runs, one after the other: the codec alone (ZSTD_decompressDCtx or memcpy of every value, into one
// chunk's memory), and tessera. What is printed are medians, in microseconds per chunk, and the least and the most.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <zstd.h>

#include <tessera/tessera.hpp>
#include <tessera/array/create.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

namespace {

constexpr std::uint64_t edge = 16, chunk_size = edge * edge * edge;

struct Series {
  std::vector<double> microseconds;
  void sort() { std::sort(microseconds.begin(), microseconds.end()); }
  double median() const { return microseconds[microseconds.size() / 2]; }
};

template <class F>
void time(Series& series, std::uint64_t chunks, F&& f) {
  auto const start = std::chrono::steady_clock::now();
  f();
  std::chrono::duration<double, std::micro> const taken = std::chrono::steady_clock::now() - start;
  series.microseconds.push_back(taken.count() / static_cast<double>(chunks));
}

// Prints a line; true: what tessera adds is at most 2 microseconds.
bool report(char const* what, std::uint64_t chunks, Series codec, Series tessera) {
  codec.sort();
  tessera.sort();
  auto const added = tessera.median() - codec.median();
  std::printf("%-14s %6llu chunks  codec %6.3f [%6.3f %6.3f]  tessera %6.3f [%6.3f %6.3f]  added %6.3f us  %s\n", what,
              static_cast<unsigned long long>(chunks), codec.median(), codec.microseconds.front(),
              codec.microseconds.back(), tessera.median(), tessera.microseconds.front(), tessera.microseconds.back(),
              added, added <= 2 ? "yes" : "NO");
  return added <= 2;
}

std::vector<std::uint8_t> elements(std::uint64_t n) {
  std::vector<std::uint8_t> result(n * n * n);
  auto* at = result.data();
  for (std::uint64_t x = 0; x < n; ++x)
    for (std::uint64_t y = 0; y < n; ++y)
      for (std::uint64_t z = 0; z < n; ++z) *at++ = static_cast<std::uint8_t>(z + y * y / 32 + x * x * x);
  return result;
}

template <class P>
bool measure(char const* name, std::uint64_t n, P const& pipeline, int repetitions) {
  constexpr bool is_raw = std::same_as<P, Pipeline<space::Host, codec::Bytes>>;
  MemoryStore<HostBuffer> const store;
  Queue<space::Host> on;
  auto const array = create_array<std::uint8_t, 3>(store, "a", NewArray<std::uint8_t>{{n, n, n}, {edge, edge, edge}},
                                                   pipeline, on);
  auto const from = elements(n);
  auto const chunks = n * n * n / chunk_size;
  array.write(all, from);
  std::vector<HostBuffer> values;
  store.list("a/c", [&](Listed const& entry) { values.push_back(*get(store, Key{std::string{entry.path}}, on)); });

  auto* decoder = ZSTD_createDCtx();
  auto* encoder = ZSTD_createCCtx();
  std::vector<std::uint8_t> to(from.size()), chunk(chunk_size), encoded(ZSTD_compressBound(chunk_size));
  array.read(all, to);
  if (to != from) std::printf("%s: what was read is not what was written\n", name), std::exit(1);
  Series decode, read, encode, write;
  for (int r = 0; r < repetitions; ++r) {
    time(decode, chunks, [&] {
      for (auto const& value : values)
        if (is_raw)
          std::memcpy(chunk.data(), value.view().data, chunk_size);
        else
          ZSTD_decompressDCtx(decoder, chunk.data(), chunk.size(), value.view().data, value.view().size);
    });
    time(read, chunks, [&] { array.read(all, to); });
    time(encode, chunks, [&] {
      for (std::uint64_t i = 0; i < chunks; ++i)
        if (is_raw)
          std::memcpy(chunk.data(), from.data() + i * chunk_size, chunk_size);
        else {  // the decoded values, which are a chunk each
          ZSTD_decompressDCtx(decoder, chunk.data(), chunk.size(), values[i].view().data, values[i].view().size);
          auto const start = std::chrono::steady_clock::now();
          (void)start;
          ZSTD_compress2(encoder, encoded.data(), encoded.size(), chunk.data(), chunk.size());
        }
    });
    time(write, chunks, [&] { array.write(all, from); });
  }
  if (!is_raw)  // each chunk had to be decoded first
    for (std::size_t i = 0; i < encode.microseconds.size(); ++i) encode.microseconds[i] -= decode.microseconds[i];
  ZSTD_freeDCtx(decoder);
  ZSTD_freeCCtx(encoder);
  bool const good = report((std::string{name} + " read").c_str(), chunks, decode, read);
  return report((std::string{name} + " write").c_str(), chunks, encode, write) && good;
}

}  // namespace

int main(int argc, char** argv) {
  int const repetitions = argc > 1 ? std::atoi(argv[1]) : 15;
  bool good = true;
  for (std::uint64_t n : {128u, 512u}) {
    good &= measure("raw", n, Pipeline<space::Host, codec::Bytes>{}, repetitions);
    good &= measure("zstd", n, Pipeline<space::Host, codec::Bytes, codec::Zstd>{}, repetitions);
  }
  return good ? 0 : 1;
}
