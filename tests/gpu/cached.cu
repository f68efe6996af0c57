// The cost of a ChunkCache compared with its unavoidable copies: slabs of chunks on the device, with a copy within the
// device; chunks that leave it and come back, with copies to and from page-locked memory.
//
//   cached [MIB=1024] [REPETITIONS=10]
//
// The array has that many MiB, in multiples of 32, in chunks of one. Checks every element. Exits with 77 without a GPU.
#include <cstdlib>

#include <tessera/cache/chunk_cache.hpp>
#include <tessera/tessera.cuh>

#include "measured.cuh"

using namespace tessera;
using namespace measured;

namespace {

using Element = std::uint32_t;
using Stored = Pipeline<space::Device, codec::Bytes, CastTo<space::Host>>;
constexpr std::uint64_t side = 512, plane = side * side * sizeof(Element), depth = 16;  // of a slab, which is 16 chunks

struct Elements {
  std::uint64_t first;
  TESSERA_HOST_DEVICE Element operator()(std::uint64_t i) const { return static_cast<Element>(number(first + i)); }
};

auto array_of(std::uint64_t planes, Queue<space::Device> const& on) {
  Extents const shape{planes, side, side}, chunk_shape{depth, side / 4, side / 4};
  auto const array = create_array<Element, 3>(MemoryStore<HostBuffer>{}, "a",
                                              {.shape = shape, .chunks = chunk_shape}, Stored{}, on);
  std::vector<Element> elements(planes * side * side);
  for (std::uint64_t i = 0; i < elements.size(); ++i) elements[i] = Elements{0}(i);
  array.template through<space::Host>().write(all, elements);
  return array;
}

// Two rows of a table, and their ratio.
template <class F, class Beside>
void compare(char const* what, F&& f, char const* beside_what, Beside&& beside, std::uint64_t bytes, int repetitions) {
  auto const ours = seconds(repetitions, f), theirs = seconds(repetitions, beside);
  std::printf("| %s | %s |\n| %s | %s |\n\n", what, cells(ours, bytes).c_str(), beside_what,
              cells(theirs, bytes).c_str());
  auto const middle = (ours.size() - 1) / 2;  // as in the table
  std::printf("%s: %.1f %% of the rate of %s\n\n", what, 100 * theirs[middle] / ours[middle], beside_what);
}
void head() { std::printf("| | %s |\n|---|---|---|---|\n", cell_names); }

void copy(void* to, void const* from, std::uint64_t bytes, cudaMemcpyKind kind, Queue<space::Device>& on) {
  good(cudaMemcpyAsync(to, from, bytes, kind, on.stream()), "cudaMemcpyAsync");
}

// Each slab as the cache returns it. `done` is called with its first plane.
template <class Cache, class Slab, class F>
void read_slabs(Cache const& cache, Slab& slab, Queue<space::Device>& on, F&& done) {
  for (std::uint64_t x = 0; x < cache.array().shape()[0]; x += depth) {
    cache.on(on).read({{x, x + depth}, all, all}, slab);
    done(x);
  }
}
template <class Cache>
bool has_elements(Cache const& cache, Queue<space::Device>& on) {
  OwnedArray<Element, 3, DeviceBuffer> slab{{depth, side, side}, on};
  bool right = true;
  read_slabs(cache, slab, on, [&](std::uint64_t x) {
    right = all_are(slab.data(), slab.size(), Elements{x * side * side}, on) && right;
    spoil({reinterpret_cast<std::byte*>(slab.data()), slab.size() * sizeof(Element)}, on);
  });
  return right;
}

template <class A>
bool slabs(A const& array, int repetitions, Queue<space::Device>& on) {
  auto const planes = array.shape()[0], bytes = planes * plane;
  ChunkCache const cache{array, {.device = bytes}};
  (void)cache.on(on).hold(all);
  bool const right = has_elements(cache, on);
  auto const misses = cache.statistics().misses;
  OwnedArray<Element, 3, DeviceBuffer> slab{{depth, side, side}, on};
  DeviceBuffer const whole(bytes, on);
  head();
  compare(
      "cached slabs", [&] { read_slabs(cache, slab, on, [](std::uint64_t) {}), on.wait(); }, "a device copy",
      [&] {
        for (std::uint64_t x = 0; x < planes; x += depth)
          copy(slab.data(), whole.view().data + x * plane, depth * plane, cudaMemcpyDeviceToDevice, on);
        on.wait();
      },
      bytes, repetitions);
  return right && cache.statistics().misses == misses;
}

// Modified chunks, of which the host has no copy any more: half of them leave for the other half, and back.
template <class A>
bool spills(A const& array, int repetitions, Queue<space::Device>& on) {
  auto const planes = array.shape()[0], half = planes / 2;
  ChunkCache const cache{array, {.device = half * plane, .host = planes * plane}, KeepEverywhere{}, {}, on};
  auto const there_and_back = [&] {
    (void)cache.on(on).hold_for_writing({{0, half}, all, all});
    (void)cache.on(on).hold_for_writing({{half, planes}, all, all});
    on.wait();
  };
  there_and_back();
  there_and_back();  // from here on the host has memory for all of them
  auto const before = cache.statistics();
  DeviceBuffer device(half * plane, on);
  PinnedBuffer pinned(half * plane, on);
  head();
  compare(
      "spill and return", there_and_back, "copies of page-locked memory",
      [&] {
        for (int i = 0; i < 2; ++i) {
          copy(pinned.span().data, device.view().data, half * plane, cudaMemcpyDeviceToHost, on);
          copy(device.span().data, pinned.view().data, half * plane, cudaMemcpyHostToDevice, on);
        }
        on.wait();
      },
      2 * planes * plane, repetitions);
  auto const after = cache.statistics();
  std::printf("%llu copies took %llu chunks to the host, and %llu back\n\n",
              static_cast<unsigned long long>(after.copies - before.copies),
              static_cast<unsigned long long>(after.spills - before.spills),
              static_cast<unsigned long long>(after.returns - before.returns));
  auto const moved = static_cast<std::uint64_t>(repetitions + 1) * planes;  // chunks: one for each plane
  bool const as_meant = after.misses == before.misses && after.spills - before.spills == moved &&
                        after.returns - before.returns == moved;
  if (!as_meant) std::fprintf(stderr, "these were not spills and returns\n");
  return has_elements(cache, on) && as_meant;
}

bool run(std::uint64_t planes, int repetitions) {
  Queue<space::Device> on;
  auto const array = array_of(planes, on);
  std::printf("%llu MiB, chunks of 1 MiB, slabs of %llu\n\n", static_cast<unsigned long long>(planes),
              static_cast<unsigned long long>(depth));
  bool const right = slabs(array, repetitions, on);
  return spills(array, repetitions, on) && right;
}

}  // namespace

int main(int argc, char** argv) {
  auto const argument = [&](int i, int otherwise) { return argc > i ? std::max(std::atoi(argv[i]), 1) : otherwise; };
  auto const planes = (static_cast<std::uint64_t>(argument(1, 1024)) + 2 * depth - 1) / (2 * depth) * (2 * depth);
  return measured::run([&] { return run(planes, argument(2, 10)); });
}
