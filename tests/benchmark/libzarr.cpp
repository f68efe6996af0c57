// libzarr's side of the benchmark, if its headers are found: work.hpp has the command line. The time includes opening
// the array.
//
// libzarr starts no threads: here each has an array handle of its own, since a handle of shards keeps their indexes,
// and reads whole chunks or shards, so that it needs each index once. A chunk comes in new memory, whose rows are
// copied to their place here: read_region() does the same, but only into memory that holds just the region. It reads
// every kind of array here. Left out: many chunks in one call, which it lacks, and writing.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <vector>

// Before libzarr, which includes some of their includes inside a namespace.
#include "loop_reader.hpp"
#include "work.hpp"

#include <libzarr/adapters/filesystem_store.hpp>
#include <libzarr/libzarr.hpp>

namespace {

using Index = std::vector<std::uint64_t>;

zarr::Array opened(Work const& work) {
  return zarr::Array::open(std::make_shared<zarr::FilesystemStore>(work.path, false), "");
}
std::vector<zarr::Array> opened_by_each(Work const& work) {
  std::vector<zarr::Array> arrays;
  for (std::size_t t = 0; t < work.threads; ++t) arrays.push_back(opened(work));
  return arrays;
}

Index place(std::size_t i, std::size_t across) { return {i / (across * across), i / across % across, i % across}; }

// The planes [first, first + count) of the array. It can read some planes alone only from raw chunks.
template <class T>
void read_planes(Work const& work, std::size_t first, std::size_t count, T* to) {
  Form const form{work.kind};
  auto const arrays = opened_by_each(work);
  auto const across = work.chunks(), per = form.inner ? form.per_shard() : 1, edge = form.chunk / per;
  auto const layer = first / form.chunk, layers = (first + count - 1) / form.chunk - layer + 1;
  auto const area = edge * edge;
  Target const all{reinterpret_cast<std::uint8_t*>(to), work.n * work.n * sizeof(T), work.n * sizeof(T)};
  by_threads(work.threads, layers * across * across, [&](std::size_t t, std::size_t i) {
    auto const outer = place(layer * across * across + i, across);
    for (std::size_t k = 0; k < per * per * per; ++k) {
      auto index = place(k, per);
      for (std::size_t d = 0; d < 3; ++d) index[d] += outer[d] * per;
      auto const begin = index[0] * edge, from = std::max(first, begin), end = std::min(first + count, begin + edge);
      if (from >= end) continue;
      auto const skipped = from - begin, planes = end - from;
      bool const some = work.kind == "raw" && planes < edge;
      auto const chunk = some ? arrays[t].read_chunk_range(index, skipped * area, planes * area)  //
                              : arrays[t].read_chunk(index);
      all.moved(from - first, index[1] * edge, index[2] * edge * sizeof(T))
          .put(chunk.data() + (some ? 0 : skipped * area * sizeof(T)), edge, sizeof(T), 0, planes * edge);
    }
  });
}

template <class T>
void read_whole(Work const& work) {
  auto const elements = mapped<T>(work.n * work.n * work.n);
  repeat(work, [&] { read_planes(work, 0, work.n, elements.data()); });
  print_sum<T const>(elements);
}

template <class T>
void read_new(Work const& work) {
  auto const size = work.n * work.n * work.n;
  std::unique_ptr<T[]> elements;
  repeat(
      work, [&] { elements.reset(); },
      [&] {
        elements = std::make_unique_for_overwrite<T[]>(size);
        read_planes(work, 0, work.n, elements.get());
      });
  print_sum(std::span<T const>{elements.get(), size});
}

template <class T>
void read_slab(Work const& work) {
  auto const elements = mapped<T>(Work::slab_planes * work.n * work.n);
  repeat(work, [&] { read_planes(work, work.slab(), Work::slab_planes, elements.data()); });
  print_sum<T const>(elements);
}

// A chunk stays in the memory it came in; a shard is read into existing memory.
template <class T>
void read_chunks_of(Work const& work) {
  Form const form{work.kind};
  auto const across = work.chunks();
  std::vector<zarr::Bytes> memory(work.threads, zarr::Bytes(form.chunk_bytes()));
  std::atomic<std::uint64_t> sum;
  repeat(work, [&] {
    sum = 0;
    auto const arrays = opened_by_each(work);
    by_threads(work.threads, across * across * across, [&](std::size_t t, std::size_t i) {
      auto index = place(i, across);
      if (form.inner) {
        for (auto& begin : index) begin *= form.chunk;
        arrays[t].read_region(index, Index(3, form.chunk), memory[t].data(), memory[t].size());
      } else {
        memory[t] = arrays[t].read_chunk(index);
      }
      T element;
      std::memcpy(&element, memory[t].data() + sampled_in_chunk(memory[t].size() / sizeof(T)) * sizeof(T), sizeof(T));
      sum += (i + 1) * element;
    });
  });
  print_sum(sum);
}

template <class T>
void read_inner_each(Work const& work) {
  Picks const picks{work.more.at(0)};
  auto const elements = mapped<T>(picks.elements());
  auto const row = picks.length(2) * sizeof(T), edge = Picks::edge;
  Target const all{reinterpret_cast<std::uint8_t*>(elements.data()), picks.length(1) * row, row};
  repeat(work, [&] {
    auto const arrays = opened_by_each(work);
    by_threads(work.threads, picks.order.size(), [&](std::size_t t, std::size_t i) {
      auto const [in, to] = picks.place(picks.order[i]);
      auto const chunk = arrays[t].read_chunk({in[0], in[1], in[2]});
      all.moved(to[0] * edge, to[1] * edge, to[2] * edge * sizeof(T))
          .put(chunk.data(), edge, sizeof(T), 0, edge * edge);
    });
  });
  print_sum<T const>(elements);
}

// Seconds of one of a thousand.
void open(Work const& work) {
  constexpr int times = 1000;
  std::uint64_t sum = 0;
  repeat(
      work, [&] { sum = 0; },
      [&] {
        for (int i = 0; i < times; ++i) sum += opened(work).meta().shape[0];
      },
      times);
  print_sum(sum);
}

template <class T>
void run_on(Work const& work) {
  if (work.action == "read") return read_whole<T>(work);
  if (work.action == "new") return read_new<T>(work);
  if (work.action == "chunks") return read_chunks_of<T>(work);
  if (work.action == "slab") return read_slab<T>(work);
  if (work.action == "each") return read_inner_each<T>(work);
  if (work.action == "open") return open(work);
  work.refuse();
}

void run(Work const& work) { work.is_brain() ? run_on<std::uint8_t>(work) : run_on<std::uint16_t>(work); }

}  // namespace

int main(int argc, char** argv) try { run({argc, argv}); } catch (std::exception const& error) {
  return std::fprintf(stderr, "libzarr: %s\n", error.what()), 1;
}
