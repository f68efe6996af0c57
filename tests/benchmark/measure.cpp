// tessera's side of the benchmark: work.hpp has the command line. The time includes opening the array.
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tessera/tessera.hpp>
#include <tessera/with/all.hpp>

#include "work.hpp"

using namespace tessera;

namespace {

using HostQueue = Queue<space::Host>;

template <class T>
auto opened(Work const& work, HostQueue const& on) {
  return open_array<T, 3, AllCodecs>(LocalStore<HostBuffer>{work.path}, "", on);
}

template <class T>
void read_whole(Work const& work) {
  HostQueue const on{work.threads};
  auto const elements = mapped<T>(work.n * work.n * work.n);
  repeat(work, [&] { opened<T>(work, on).read(all, elements); });
  print_sum<T const>(elements);
}

// Into memory that tessera allocates, page faults included.
template <class T>
void read_new(Work const& work) {
  HostQueue const on{work.threads};
  std::optional<OwnedArray<T, 3, HostBuffer>> array;
  repeat(
      work, [&] { array.reset(); }, [&] { array.emplace(opened<T>(work, on).read(all)); });
  print_sum<T const>(array->elements());
}

// Each thread reads chunk after chunk into memory of its own.
template <class T>
void read_chunks_of(Work const& work) {
  HostQueue const on{work.threads};
  auto const grid = work.chunks(), size = work.chunk() * work.chunk() * work.chunk();
  std::vector<std::span<T>> memory;
  for (std::size_t t = 0; t < work.threads; ++t) memory.push_back(mapped<T>(size));
  std::atomic<std::uint64_t> sum;
  repeat(work, [&] {
    sum = 0;
    auto const array = opened<T>(work, on);
    by_threads(work.threads, grid * grid * grid, [&](std::size_t t, std::size_t i) {
      array.read_chunk({i / (grid * grid), i / grid % grid, i % grid}, memory[t]);
      sum += (i + 1) * memory[t][sampled_in_chunk(size)];
    });
  });
  print_sum(sum);
}

template <class T>
void read_slab(Work const& work) {
  HostQueue const on{work.threads};
  auto const elements = mapped<T>(Work::slab_planes * work.n * work.n);
  Box const slab{{work.slab(), work.slab() + Work::slab_planes}, all, all};
  repeat(work, [&] { opened<T>(work, on).read(slab, elements); });
  print_sum<T const>(elements);
}

// All of them in one call.
template <class T>
void read_inner(Work const& work) {
  HostQueue const on{work.threads};
  Picks const picks{work.more.at(0)};
  auto const elements = mapped<T>(picks.elements());
  repeat(work, [&] {
    std::vector<Indices> lists;
    for (auto const& places : picks.places) {
      std::vector<std::uint64_t> indices;
      for (auto place : places)
        for (std::size_t i = 0; i < Picks::edge; ++i) indices.push_back(place * Picks::edge + i);
      lists.emplace_back(indices);
    }
    opened<T>(work, on).read(Orthogonal{lists}, elements);
  });
  print_sum<T const>(elements);
}

// A call for each.
template <class T>
void read_inner_each(Work const& work) {
  HostQueue const on{work.threads};
  Picks const picks{work.more.at(0)};
  auto const elements = mapped<T>(picks.elements());
  auto const whole = ArrayView<T, 3>::c_order(elements.data(), {picks.length(0), picks.length(1), picks.length(2)});
  repeat(work, [&] {
    auto const array = opened<T>(work, on);
    array.keep_shard_indexes(16 << 20);
    by_threads(work.threads, picks.order.size(), [&](std::size_t, std::size_t i) {
      auto const [in, to] = picks.place(picks.order[i]);
      auto const edge = Picks::edge;
      ArrayView<T, 3> part{&whole(to[0] * edge, to[1] * edge, to[2] * edge), {edge, edge, edge}, {}};
      std::copy_n(whole.strides, 3, part.strides);
      auto const slice = [&](std::size_t d) { return Slice{in[d] * edge, (in[d] + 1) * edge}; };
      array.read({slice(0), slice(1), slice(2)}, part);
    });
  });
  print_sum<T const>(elements);
}

// A new array is written and read back.
template <class P>
void round_trip(Work const& work, P const& pipeline) {
  HostQueue const on{work.threads};
  LocalOptions const options{work.more.at(0) == "fsync"};
  auto const n = work.n, size = n * n * n;
  auto const elements = mapped<std::uint16_t>(size), back = mapped<std::uint16_t>(size);
  fill(elements, n);
  NewArray<std::uint16_t> const wanted{.shape = {n, n, n}, .chunks = {work.chunk(), work.chunk(), work.chunk()}};
  repeat(
      work, [&] { std::filesystem::remove_all(work.path); },
      [&] {
        create_array<std::uint16_t, 3>(LocalStore<HostBuffer>{work.path, options}, "", wanted, pipeline, on)
            .write(all, elements);
        opened<std::uint16_t>(work, on).read(all, back);
      });
  print_sum<std::uint16_t const>(back);
}

// Seconds of one of a thousand.
template <class T>
void open(Work const& work) {
  HostQueue const on{work.threads};
  constexpr int times = 1000;
  std::uint64_t sum = 0;
  repeat(
      work, [&] { sum = 0; },
      [&] {
        for (int i = 0; i < times; ++i) sum += opened<T>(work, on).shape()[0];
      },
      times);
  print_sum(sum);
}

// Seconds of one of many reads of a chunk of 16^3.
template <class T>
void small(Work const& work) {
  HostQueue const on{work.threads};
  constexpr int times = 10000;
  auto const elements = mapped<T>(16 * 16 * 16);
  auto const array = opened<T>(work, on);
  Box const chunk{{16, 32}, {0, 16}, {32, 48}};
  repeat(
      work, [] {},
      [&] {
        for (int i = 0; i < times; ++i) array.read(chunk, elements);
      },
      times);
  print_sum<T const>(elements);
}

// A selection of a plane in a MemoryStore; the time includes making the selection.
template <class Make>
void scattered(Work const& work, std::size_t count, Make&& make) {
  HostQueue const on{work.threads};
  Scattered const all_of{work.n};
  auto const edge = all_of.edge;
  auto const array = create_array<std::uint16_t, 2>(
      MemoryStore<HostBuffer>{}, "a", {.shape = {edge, edge}, .chunks = {all_of.chunk, all_of.chunk}},
      Pipeline<space::Host, codec::Bytes>{}, on);
  array.write(all, all_of.values());
  auto const elements = mapped<std::uint16_t>(count);
  using Selector = decltype(make());
  auto const to = [&] {
    if constexpr (std::same_as<Selector, Orthogonal>)
      return ArrayView<std::uint16_t, 2>::c_order(elements.data(), {edge, edge});
    else
      return elements;
  }();
  if (work.action == "pick") {
    repeat(work, [&] { array.read(make(), to); });
    return print_sum<std::uint16_t const>(elements);
  }
  array.read(make(), to);
  for (auto& element : elements) element ^= 0x5555;
  repeat(work, [&] { array.write(make(), to); });
  auto const read = array.read(all);
  print_sum<std::uint16_t const>(read.elements());
}
void scattered(Work const& work) {
  Scattered const all_of{work.n};
  if (work.kind == "points") {
    auto const x = all_of.coordinates(0), y = all_of.coordinates(1);
    scattered(work, all_of.points, [&] { return Points{x, y}; });
  } else if (work.kind == "lists") {
    auto const order = all_of.shuffled();
    scattered(work, order.size() * order.size(), [&] { return Orthogonal{order, order}; });
  } else {
    auto const mask = all_of.mask();
    scattered(work, static_cast<std::size_t>(std::count(mask.begin(), mask.end(), 1)), [&] { return Mask{mask}; });
  }
}

// Chunks of 16^3 bytes in a MemoryStore; seconds of one chunk.
template <class P>
void tiny(Work const& work) {
  HostQueue const on{work.threads};
  constexpr std::uint64_t edge = 16;
  auto const n = work.n, chunks = n / edge * (n / edge) * (n / edge);
  auto const elements = mapped<std::uint8_t>(n * n * n);
  fill(elements, n);
  MemoryStore<HostBuffer> const store;
  NewArray<std::uint8_t> const wanted{.shape = {n, n, n}, .chunks = {edge, edge, edge}};
  auto const written = create_array<std::uint8_t, 3>(store, "a", wanted, P{}, on);
  written.write(all, elements);
  auto const read = open_array<std::uint8_t, 3, AllCodecs>(store, "a", on);
  auto const times = tiny_rounds(chunks);
  repeat(
      work, [] {},
      [&] {
        for (std::size_t i = 0; i < times; ++i)
          if (work.action == "tiny-write")
            written.write(all, elements);
          else
            read.read(all, elements);
      },
      static_cast<double>(chunks * times));
  print_sum<std::uint8_t const>(elements);
}

template <class T>
void run_on(Work const& work) {
  if (work.action == "read") return read_whole<T>(work);
  if (work.action == "new") return read_new<T>(work);
  if (work.action == "chunks") return read_chunks_of<T>(work);
  if (work.action == "slab") return read_slab<T>(work);
  if (work.action == "inner") return read_inner<T>(work);
  if (work.action == "each") return read_inner_each<T>(work);
  if (work.action == "open") return open<T>(work);
  if (work.action == "small") return small<T>(work);
  work.refuse();
}

void run(Work const& work) {
  using Raw = Pipeline<space::Host, codec::Bytes>;
  using Zstd = Pipeline<space::Host, codec::Bytes, codec::Zstd>;
  bool const is_raw = work.kind == "raw";
  if (work.action == "round-trip") {
    if (work.kind == "shard64")
      return round_trip(work, Pipeline<space::Host, codec::Sharding<Zstd>>{codec::Sharding<Zstd>{{64, 64, 64}}});
    return is_raw ? round_trip(work, Raw{}) : round_trip(work, Zstd{});
  }
  if (work.action == "pick" || work.action == "put") return scattered(work);
  if (work.action.starts_with("tiny")) return is_raw ? tiny<Raw>(work) : tiny<Zstd>(work);
  work.is_brain() ? run_on<std::uint8_t>(work) : run_on<std::uint16_t>(work);
}

}  // namespace

int main(int argc, char** argv) try { run({argc, argv}); } catch (std::exception const& error) {
  return std::fprintf(stderr, "measure: %s\n", error.what()), 1;
}
