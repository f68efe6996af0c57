// A Loader of random crops, and the loop of crop_loop.hpp; loader.py compares them with TensorStore and zarr-python.
//
//   loader FOLDER write [N=512]
//   loader FOLDER KIND CACHE [BATCHES=64] [CROP=64] [BATCH=16] [THREADS=2] [SEED=1] [ORDER=uniform] [TOGETHER=1]
//   loader FOLDER KIND loop:CACHE ...
//
// The first makes arrays of N^3 float32 in FOLDER, in chunks of 64^3: "raw", "lz4", "blosc" (lz4, shuffled) and "zstd",
// which halves them; and, in shards of 256^3 or of half of the array, "raw-shards" and so on. The others take as many
// batches as fill the cache, then BATCHES, and print crops a second, chunks decoded for each crop, milliseconds of the
// processors for each crop, and a sum of elements. CACHE is in bytes, or "default". Crops are "uniform", at any place,
// or "shuffled", those of a grid in a new order for each epoch. TOGETHER batches are read at once; it divides BATCHES
// and 8.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crop_loop.hpp"
#include "noise.hpp"

#include <tessera/loader/loader.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/open.hpp>
#include <tessera/tessera.hpp>
#include <tessera/with/blosc.hpp>
#include <tessera/with/lz4.hpp>
#include <tessera/with/zstd.hpp>

using namespace tessera;

namespace {

template <class... C>
using Through = Pipeline<space::Host, codec::Bytes, C...>;

// Calls f(pipeline) for the codec of that name.
template <class F>
void with_codec(std::string_view codec, F&& f) {
  if (codec == "raw") return f(Through<>{});
  if (codec == "lz4") return f(Through<codec::Lz4>{});
  if (codec == "zstd") return f(Through<codec::Zstd>{});
  codec::Blosc blosc;
  blosc.cname = "lz4";
  if (codec == "blosc") return f(Through<codec::Blosc>{{}, blosc});
  throw Error{to_text({"no codec \"", codec, "\""})};
}

struct Run {
  std::string kind;
  Option<std::uint64_t> cache{};
  std::size_t batches, crop, batch, threads, seed;
  bool is_shuffled;
  std::size_t together;

  std::string codec() const { return kind.substr(0, kind.find('-')); }
  bool has_shards() const { return kind.ends_with("-shards"); }
};
std::uint64_t edge_of_shards(std::uint64_t n) { return std::min<std::uint64_t>(n / 2, 256); }
constexpr std::size_t warm = 8;  // batches: 128 crops of 64^3 touch most chunks of 512^3

void write(LocalStore<HostBuffer> const& store, std::uint64_t n) {
  auto const written = noise(n * n * n);
  auto const edge = edge_of_shards(n);
  for (std::string const codec : {"raw", "lz4", "blosc", "zstd"})
    for (bool const in_shards : {false, true})
      with_codec(codec, [&](auto const& pipeline) {
        Extents const shards = in_shards ? Extents{edge, edge, edge} : Extents{};
        create_array<float, 3>(store, codec + (in_shards ? "-shards" : ""),
                               {.shape = {n, n, n}, .shards = shards, .chunks = {64, 64, 64}, .overwrite = true},
                               pipeline, Queue<space::Host>{2})
            .write(all, written);
      });
}

/// The crops of a run, as a sampler.
auto crops_of(Run const& run, Extents const& shape) {
  Extents const crop{run.crop, run.crop, run.crop};
  return [shuffled = ShuffledGrid{shape, crop, {.seed = run.seed}, endless},
          uniform = UniformBoxes{shape, crop, {.seed = run.seed}}, is_shuffled = run.is_shuffled]() mutable {
    return is_shuffled ? shuffled() : uniform();
  };
}

/// From one batch to another one.
class Times {
 public:
  void print(Run const& run, std::uint64_t decoded, double sum) const {
    auto const crops = static_cast<double>(run.batches * run.batch);
    std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - start_;
    auto const busy = static_cast<double>(std::clock() - clock_) / CLOCKS_PER_SEC;
    std::printf("%.1f crops a second, %.2f chunks decoded and %.2f ms of the processors for each (%.9f)\n",
                crops / seconds.count(), static_cast<double>(decoded) / crops, 1e3 * busy / crops, sum);
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t clock_ = std::clock();  // of all threads
};

template <class P>
void load(LocalStore<HostBuffer> const& store, Run const& run) {
  auto const array = open_array<float, 3, P>(store, run.kind, Queue<space::Host>{run.threads});
  Loader loader{array,
                crops_of(run, array.shape()),
                {.batch = run.batch,
                 .ahead = std::max<std::size_t>(2, run.together),
                 .together = run.together,
                 .cache = run.cache}};
  for (std::size_t i = 0; i < warm; ++i) (void)loader.next();
  auto const before = loader.statistics();
  Times const times;
  double sum = 0;
  for (std::size_t i = 0; i < run.batches; ++i) sum += static_cast<double>(loader.next()->array().elements()[0]);
  times.print(run, loader.statistics().decoded - before.decoded, sum);
}

void loop(LocalStore<HostBuffer> const& store, std::string const& folder, Run const& run) {
  Extents shape;
  with_codec(run.codec(), [&]<class P>(P const&) { shape = open_array<float, 3, P>(store, run.kind).shape(); });
  auto draw = crops_of(run, shape);
  std::vector<CropLoop::Place> crops;
  while (crops.size() < (warm + run.batches) * run.batch) {
    auto const first = draw()->resolve(shape).first;
    crops.push_back({first[0], first[1], first[2]});
  }
  CropLoop loop{folder + "/" + run.kind, shape[0], run.has_shards() ? edge_of_shards(shape[0]) : 0, run.crop,
                run.batch, run.together};
  loop.plan(std::move(crops), run.cache, LoaderOptions{}.horizon);
  Times times;
  auto const sum = loop.run(run.codec(), run.threads, warm, [&] { times = {}; });
  times.print(run, loop.decoded(warm), sum);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3)
    return std::fputs(
               "usage: loader FOLDER write [N] | loader FOLDER KIND [loop:]CACHE "
               "[BATCHES CROP BATCH THREADS SEED ORDER TOGETHER]\n",
               stderr),
           2;
  auto const number = [&](int i, unsigned long usual) { return argc > i ? std::strtoul(argv[i], nullptr, 10) : usual; };
  LocalStore<HostBuffer> const store{argv[1]};
  if (std::string_view{argv[2]} == "write") return write(store, number(3, 512)), 0;
  Run run{.kind = argv[2],
          .batches = number(4, 64),
          .crop = number(5, 64),
          .batch = number(6, 16),
          .threads = number(7, 2),
          .seed = number(8, 1),
          .is_shuffled = argc > 9 && std::string_view{argv[9]} == "shuffled",
          .together = number(10, 1)};
  std::string cache = argc > 3 ? argv[3] : "default";
  bool const is_loop = cache.starts_with("loop:");
  if (is_loop) cache.erase(0, 5);
  if (cache != "default")
    run.cache = std::uint64_t{std::strtoull(cache.c_str(), nullptr, 10)};
  else if (is_loop)
    run.cache = 2 * (LoaderOptions{}.ahead + 2) * run.batch * run.crop * run.crop * run.crop * sizeof(float);
  if (is_loop)
    loop(store, argv[1], run);
  else
    with_codec(run.codec(), [&]<class P>(P const&) { load<P>(store, run); });
  return 0;
} catch (std::exception const& error) {
  return std::fprintf(stderr, "loader: %s\n", error.what()), 1;
}
