// What tessera adds to the codec's own time, per chunk: arrays of 16^3 uint8 chunks in a MemoryStore, one thread.
//
//   small_chunks [REPETITIONS=15]
//
// Each repetition runs, one after the other: the codec alone (ZSTD_decompressDCtx, ZSTD_compress2 or memcpy of every
// chunk, from and into memory that is there) and tessera. Printed are microseconds per chunk: the median of each, and
// the median, the least and the most of their difference. Exits with 1 if one adds more than 2 in the median.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include <zstd.h>

#include <tessera/tessera.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

namespace {

constexpr std::uint64_t edge = 16, chunk_size = edge * edge * edge;
using Elements = std::vector<std::uint8_t>;

// zstd and nothing else, or memcpy.
class CodecAlone {
 public:
  explicit CodecAlone(bool raw) : raw_{raw} {}
  CodecAlone(CodecAlone const&) = delete;
  CodecAlone& operator=(CodecAlone const&) = delete;
  ~CodecAlone() {
    ZSTD_freeDCtx(decoder_);
    ZSTD_freeCCtx(encoder_);
  }
  void decode(ByteView<space::Host> from) {
    if (raw_)
      std::memcpy(to_.data(), from.data, from.size);
    else if (ZSTD_decompressDCtx(decoder_, to_.data(), chunk_size, from.data, from.size) != chunk_size)
      throw Error{"a value that does not decode"};
  }
  void encode(std::uint8_t const* chunk) {
    if (raw_)
      std::memcpy(to_.data(), chunk, chunk_size);
    else if (ZSTD_isError(ZSTD_compress2(encoder_, to_.data(), to_.size(), chunk, chunk_size)))
      throw Error{"a chunk that cannot be encoded"};
  }

 private:
  bool raw_;
  ZSTD_DCtx* decoder_ = ZSTD_createDCtx();
  ZSTD_CCtx* encoder_ = ZSTD_createCCtx();
  Elements to_ = Elements(ZSTD_compressBound(chunk_size));
};

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}
double median(std::vector<double> const& values) { return sorted(values)[values.size() / 2]; }

struct Comparison {
  std::vector<double> alone, tessera, added;  // microseconds per chunk

  template <class Alone, class Tessera>
  void repeat(std::uint64_t chunks, Alone&& run_alone, Tessera&& run_tessera) {
    auto const time = [&](auto&& f) {
      auto const start = std::chrono::steady_clock::now();
      f();
      std::chrono::duration<double, std::micro> const taken = std::chrono::steady_clock::now() - start;
      return taken.count() / static_cast<double>(chunks);
    };
    alone.push_back(time(run_alone));
    tessera.push_back(time(run_tessera));
    added.push_back(tessera.back() - alone.back());
  }
  bool report(std::string const& what, std::uint64_t chunks) const {
    auto const most = 2.0, found = median(added);
    std::printf("%-24s %6llu chunks   codec %6.3f   tessera %6.3f   added %6.3f [%.3f to %.3f]   at most 2: %s\n",
                what.c_str(), static_cast<unsigned long long>(chunks), median(alone), median(tessera), found,
                sorted(added).front(), sorted(added).back(), found <= most ? "yes" : "NO");
    return found <= most;
  }
};

Elements elements(std::uint64_t n) {
  Elements result;
  for (std::uint64_t x = 0; x < n; ++x)
    for (std::uint64_t y = 0; y < n; ++y)
      for (std::uint64_t z = 0; z < n; ++z) result.push_back(static_cast<std::uint8_t>(z + y * y / 32 + x * x * x));
  return result;
}

template <class Array>
bool measure(std::string const& name, Array const& array, int repetitions) {
  auto const n = array.shape()[0], chunks = n * n * n / chunk_size;
  auto const from = elements(n);
  Elements to(from.size());
  array.write(all, from);
  array.read(all, to);
  if (to != from) throw Error{"what was read is not what was written"};

  Queue<space::Host> on;
  auto const& store = array.untyped().store();
  std::vector<HostBuffer> values;
  store.list("a/c", [&](Listed const& entry) { values.push_back(*get(store, Key{std::string{entry.path}}, on)); });
  Elements one_by_one(from.size());  // the same elements, chunk after chunk
  for (std::uint64_t x = 0, i = 0; x < n; x += edge)
    for (std::uint64_t y = 0; y < n; y += edge)
      for (std::uint64_t z = 0; z < n; z += edge, ++i)
        for (std::uint64_t row = 0; row < edge * edge; ++row)
          std::copy_n(from.data() + ((x + row / edge) * n + y + row % edge) * n + z, edge,
                      one_by_one.data() + i * chunk_size + row * edge);

  CodecAlone codec{name.starts_with("raw")};
  Comparison reading, writing;
  for (int r = 0; r < repetitions; ++r) {
    reading.repeat(
        chunks,
        [&] {
          for (auto const& value : values) codec.decode(value.view());
        },
        [&] { array.read(all, to); });
    writing.repeat(
        chunks,
        [&] {
          for (std::uint64_t i = 0; i < chunks; ++i) codec.encode(one_by_one.data() + i * chunk_size);
        },
        [&] { array.write(all, from); });
  }
  bool const good = reading.report(name + ", read", chunks);
  return writing.report(name + ", write", chunks) && good;
}

template <class P>
auto made(std::uint64_t n) {
  NewArray<std::uint8_t> const wanted{{n, n, n}, {edge, edge, edge}};
  return create_array<std::uint8_t, 3>(MemoryStore<HostBuffer>{}, "a", wanted, P{}, Queue<space::Host>{});
}

}  // namespace

int main(int argc, char** argv) try {
  using Raw = Pipeline<space::Host, codec::Bytes>;
  using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  int const repetitions = argc > 1 ? std::atoi(argv[1]) : 15;
  bool good = true;
  for (std::uint64_t n : {128u, 512u}) {
    good = measure("raw", made<Raw>(n), repetitions) && good;
    auto const zstd = made<Zstd>(n);
    good = measure("zstd", zstd, repetitions) && good;
    good = measure("zstd, AnyPipeline",
                   open_array<std::uint8_t, 3, Codecs<codec::Bytes, codec::Zstd>>(zstd.untyped().store(), "a",
                                                                                  Queue<space::Host>{}),
                   repetitions) && good;
  }
  return good ? 0 : 1;
} catch (std::exception const& error) {
  return std::fprintf(stderr, "small_chunks: %s\n", error.what()), 2;
}
