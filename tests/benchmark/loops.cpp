// The rival of the benchmark: for each task the code that a programmer would write by hand for one known array, and
// nothing else. bare_loop.cpp has the whole reads of raw, zstd and shards; this file has the other tasks. work.hpp has
// the command line.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loop_reader.hpp"
#include "loop_writer.hpp"
#include "work.hpp"

namespace {

// An array of work.n^3 elements, in memory and on disk. Its threads keep their state from one repetition to the next,
// as tessera's queue does.
struct Grid {
  explicit Grid(Work const& work)
      : path{work.path + (work.is_v2() ? "/" : "/c/")},
        separator{work.is_v2() ? "." : "/"},
        form{work.kind},
        n{work.n},
        chunks{work.chunks()},
        threads{work.threads} {
    for (std::size_t t = 0; t < threads; ++t) readers.push_back(std::make_unique<ObjectReader>(form));
  }

  std::string folder_of(std::size_t i) const {
    return path + std::to_string(i / (chunks * chunks)) + separator + std::to_string(i / chunks % chunks);
  }
  std::string name_of(std::size_t i) const { return std::to_string(i % chunks); }
  std::string file_of(std::size_t i) const { return folder_of(i) + separator + name_of(i); }
  std::size_t bytes() const { return n * n * n * form.item; }
  /// The place of chunk i in the array that begins there.
  Target target_of(std::size_t i, std::uint8_t* begin) const {
    Target const all{begin, n * n * form.item, n * form.item};
    return all.moved(i / (chunks * chunks) * form.chunk, i / chunks % chunks * form.chunk,
                     i % chunks * form.chunk * form.item);
  }
  void read(std::uint8_t* to) const {
    by_threads(threads, chunks * chunks * chunks,
               [&](std::size_t t, std::size_t i) { readers[t]->chunk(File{file_of(i)}, target_of(i, to)); });
  }
  template <class F>
  void by_item(F&& f) const {
    form.item == 1 ? f(std::uint8_t{}) : f(std::uint16_t{});
  }
  void print_sum_of(std::span<std::uint8_t const> bytes) const {
    by_item([&](auto item) {
      print_sum(std::span{reinterpret_cast<decltype(item) const*>(bytes.data()), bytes.size() / sizeof item});
    });
  }

  std::string path, separator;
  Form form;
  std::size_t n, chunks, threads;  // elements along each axis, and chunks
  std::vector<std::unique_ptr<ObjectReader>> readers;
};

void read_whole(Work const& work) {
  Grid const grid{work};
  auto const memory = mapped<std::uint8_t>(grid.bytes());
  repeat(work, [&] { grid.read(memory.data()); });
  grid.print_sum_of(memory);
}

void read_new(Work const& work) {
  Grid const grid{work};
  constexpr std::size_t huge = std::size_t{2} << 20;
  std::uint8_t* memory = nullptr;
  repeat(
      work, [&] { std::free(memory); },
      [&] {
        memory = static_cast<std::uint8_t*>(std::aligned_alloc(huge, grid.bytes()));
        madvise(memory, grid.bytes(), MADV_HUGEPAGE);
        grid.read(memory);
      });
  grid.print_sum_of({memory, grid.bytes()});
}

void read_chunks(Work const& work) {
  Grid const grid{work};
  auto const row = grid.form.chunk * grid.form.item, plane = grid.form.chunk * row;
  std::vector<std::span<std::uint8_t>> memory;
  for (std::size_t t = 0; t < grid.threads; ++t) memory.push_back(mapped<std::uint8_t>(grid.form.chunk_bytes()));
  std::atomic<std::uint64_t> sum;
  repeat(work, [&] {
    sum = 0;
    by_threads(grid.threads, grid.chunks * grid.chunks * grid.chunks, [&](std::size_t t, std::size_t i) {
      grid.readers[t]->chunk(File{grid.file_of(i)}, {memory[t].data(), plane, row});
      grid.by_item([&](auto item) {
        auto const at = sampled_in_chunk(memory[t].size() / sizeof item);
        std::memcpy(&item, memory[t].data() + at * sizeof item, sizeof item);
        sum += (i + 1) * item;
      });
    });
  });
  print_sum(sum);
}

// Open shards with their indexes, from the first request on.
class Shards {
 public:
  explicit Shards(Grid const& grid) : grid_{grid}, shards_(grid.chunks * grid.chunks * grid.chunks) {}
  struct Shard {
    std::once_flag once;
    std::optional<File> file;
    std::vector<ShardEntry> entries;
  };
  Shard const& at(std::size_t i, ObjectReader const& reader) {
    auto& shard = shards_[i];
    std::call_once(shard.once, [&] {
      shard.file.emplace(grid_.file_of(i));
      shard.entries = reader.index(*shard.file);
    });
    return shard;
  }

 private:
  Grid const& grid_;
  std::vector<Shard> shards_;
};

void read_slab(Work const& work) {
  Grid const grid{work};
  auto const& form = grid.form;
  auto const n = grid.n, first = work.slab() % form.chunk, planes = Work::slab_planes;
  auto const memory = mapped<std::uint8_t>(planes * n * n * form.item);
  Target const all{memory.data(), n * n * form.item, n * form.item};
  auto const layer = (grid.chunks - 1) * grid.chunks * grid.chunks;  // the chunks from here on
  repeat(work, [&] {
    if (form.inner == 0)
      return by_threads(grid.threads, grid.chunks * grid.chunks, [&](std::size_t t, std::size_t i) {
        grid.readers[t]->planes(File{grid.file_of(layer + i)}, first, planes,
                                all.moved(0, i / grid.chunks * form.chunk, i % grid.chunks * form.chunk * form.item));
      });
    Shards shards{grid};
    auto const per = form.per_shard(), across = n / form.inner;
    by_threads(grid.threads, across * across, [&](std::size_t t, std::size_t i) {
      auto const y = i / across, x = i % across;
      auto const& shard = shards.at(layer + y / per * grid.chunks + x / per, *grid.readers[t]);
      auto const& entry = shard.entries[(first / form.inner * per + y % per) * per + x % per];
      grid.readers[t]->inner_planes(*shard.file, entry, first % form.inner, planes,
                                    all.moved(0, y * form.inner, x * form.inner * form.item));
    });
  });
  grid.print_sum_of(memory);
}

// In one call or by one call each: by hand only the order differs.
void read_inner(Work const& work) {
  Grid const grid{work};
  auto const& form = grid.form;
  Picks const picks{work.more.at(0)};
  auto const memory = mapped<std::uint8_t>(picks.elements() * form.item);
  auto const row = picks.length(2) * form.item;
  Target const all{memory.data(), picks.length(1) * row, row};
  auto const per = form.per_shard();
  bool const is_each = work.action == "each";
  repeat(work, [&] {
    Shards shards{grid};
    by_threads(grid.threads, picks.order.size(), [&](std::size_t t, std::size_t i) {
      auto const [in, to] = picks.place(is_each ? picks.order[i] : i);
      auto const& shard =
          shards.at((in[0] / per * grid.chunks + in[1] / per) * grid.chunks + in[2] / per, *grid.readers[t]);
      auto const& entry = shard.entries[(in[0] % per * per + in[1] % per) * per + in[2] % per];
      grid.readers[t]->inner(*shard.file, entry,
                             all.moved(to[0] * form.inner, to[1] * form.inner, to[2] * form.inner * form.item));
    });
  });
  grid.print_sum_of(memory);
}

void round_trip(Work const& work) {
  Grid const grid{work};
  bool const syncs = work.more.at(0) == "fsync";
  auto const elements = mapped<std::uint16_t>(grid.n * grid.n * grid.n);
  auto const back = mapped<std::uint8_t>(grid.bytes());
  fill(elements, grid.n);
  auto* const from = reinterpret_cast<std::uint8_t*>(elements.data());
  auto const count = grid.chunks * grid.chunks * grid.chunks;
  std::vector<std::unique_ptr<Writer>> writers;
  for (std::size_t t = 0; t < grid.threads; ++t) writers.push_back(std::make_unique<Writer>(grid.form, syncs));
  repeat(
      work, [&] { std::filesystem::remove_all(work.path); },
      [&] {
        for (std::size_t i = 0; i < count; i += grid.chunks) {
          std::filesystem::create_directories(grid.folder_of(i));
          if (syncs) sync_folder(std::filesystem::path{grid.folder_of(i)}.parent_path());
        }
        if (syncs) sync_folder(grid.path), sync_folder(work.path);
        by_threads(grid.threads, count, [&](std::size_t t, std::size_t i) {
          writers[t]->chunk(grid.folder_of(i), grid.name_of(i), grid.target_of(i, from));
        });
        grid.read(back.data());
      });
  grid.print_sum_of(back);
}

// Reads the document, without using it; seconds of one of a thousand.
void open(Work const& work) {
  constexpr int times = 1000;
  std::vector<std::uint8_t> document(1 << 16);
  repeat(
      work, [] {},
      [&] {
        for (int i = 0; i < times; ++i) {
          File const file{work.path + "/zarr.json"};
          file.read(document.data(), file.size(), 0);
        }
      },
      times);
  print_sum(times * work.n);
}

// Chunks of 16^3 bytes; seconds of one chunk. The codec alone, between existing buffers; or, if `more` is set, also the
// copy of elements into or out of an array.
void tiny(Work const& work) {
  constexpr std::size_t edge = 16, size = edge * edge * edge;
  auto const n = work.n, across = n / edge, chunks = across * across * across;
  bool const is_raw = work.kind == "raw", writes = work.action == "tiny-write";
  bool const places = !work.more.empty() && work.more[0] == "placed";
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> const encoder{ZSTD_createCCtx(), ZSTD_freeCCtx};
  ObjectReader reader{Form{"zstd"}};
  std::vector<std::uint8_t> room(ZSTD_compressBound(size)), chunk(size);
  auto const elements = mapped<std::uint8_t>(n * n * n);
  fill(elements, n);
  auto const target = [&](std::size_t i) {
    return Target{elements.data(), n * n, n}.moved(i / (across * across) * edge, i / across % across * edge,
                                                   i % across * edge);
  };
  auto const gather = [&](std::size_t i, std::uint8_t* to) {
    auto const from = target(i);
    for (std::size_t r = 0; r < edge * edge; ++r)
      std::memcpy(to + r * edge, from.at + r / edge * from.plane + r % edge * from.row, edge);
  };
  auto const encode = [&](std::uint8_t const* of) {
    if (is_raw) return std::memcpy(room.data(), of, size), size;
    return ZSTD_compress2(encoder.get(), room.data(), room.size(), of, size);
  };
  std::vector<std::vector<std::uint8_t>> values(chunks);  // encoded; the codec's input, for the codec alone
  for (std::size_t i = 0; i < chunks && !(writes && places); ++i) {
    gather(i, chunk.data());
    auto const* const from = writes ? chunk.data() : room.data();
    values[i].assign(from, from + (writes ? size : encode(chunk.data())));
  }
  auto const write = [&](std::size_t i) {
    if (places) gather(i, chunk.data());
    encode(places ? chunk.data() : values[i].data());
  };
  auto const read = [&](std::size_t i) {
    auto const& value = values[i];
    if (is_raw && places) return target(i).put(value.data(), edge, 1, 0, edge * edge);
    if (is_raw)
      std::memcpy(room.data(), value.data(), size);
    else
      reader.decode(value.data(), value.size(), room.data(), size);
    if (places) target(i).put(room.data(), edge, 1, 0, edge * edge);
  };
  auto const times = tiny_rounds(chunks);
  repeat(
      work, [] {},
      [&] {
        for (std::size_t k = 0; k < chunks * times; ++k) writes ? write(k % chunks) : read(k % chunks);
      },
      static_cast<double>(chunks * times));
  print_sum<std::uint8_t const>(elements);
}

// For chunks in memory: each thread has a part of the elements to read, or of the chunks to write.
void scattered(Work const& work) {
  constexpr auto chunk = Scattered::chunk;
  Scattered const all_of{work.n};
  auto const edge = all_of.edge, across = edge / chunk, threads = work.threads;
  std::vector<std::vector<std::uint16_t>> chunks(across * across, std::vector<std::uint16_t>(chunk * chunk));
  auto const number = [=](std::size_t x, std::size_t y) { return x / chunk * across + y / chunk; };
  auto const at = [&](std::size_t x, std::size_t y) -> std::uint16_t& {
    return chunks[number(x, y)][x % chunk * chunk + y % chunk];
  };
  for (std::size_t i = 0; i < edge * edge; ++i) at(i / edge, i % edge) = Scattered::value(i / edge, i % edge);

  bool const is_points = work.kind == "points", is_lists = work.kind == "lists", reads = work.action == "pick";
  auto const xs = is_points ? all_of.coordinates(0) : std::vector<std::uint64_t>{};
  auto const ys = is_points ? all_of.coordinates(1) : std::vector<std::uint64_t>{};
  auto const order = is_lists ? all_of.shuffled() : std::vector<std::uint64_t>{};
  auto const mask = is_points || is_lists ? std::vector<std::uint8_t>{} : all_of.mask();
  auto const count = is_points  ? xs.size()
                     : is_lists ? edge * edge
                                : static_cast<std::size_t>(std::count(mask.begin(), mask.end(), 1));
  auto const elements = mapped<std::uint16_t>(count);
  // Calls f(element, place in memory) for the part of thread t: that many points, or rows.
  auto const each = [&](std::size_t t, std::span<std::size_t const> before, auto&& f) {
    if (is_points) {  // of duplicates, the last is written, by the thread that has the chunk
      for (auto i = reads ? count * t / threads : 0; i < (reads ? count * (t + 1) / threads : count); ++i)
        if (reads || number(xs[i], ys[i]) % threads == t) f(at(xs[i], ys[i]), elements[i]);
      return;
    }
    for (auto x = edge * t / threads; x < edge * (t + 1) / threads; ++x)
      if (is_lists) {
        for (std::size_t y = 0; y < edge; ++y) f(at(order[x], order[y]), elements[x * edge + y]);
      } else {
        auto place = before[x];
        for (std::size_t y = 0; y < edge; ++y)
          if (mask[x * edge + y]) f(at(x, y), elements[place++]);
      }
  };
  auto const go = [&](auto&& f) {
    std::vector<std::size_t> before(edge + 1);  // elements of the mask before each row
    for (std::size_t x = 0; x < edge && !mask.empty(); ++x) {
      auto const row = std::span{mask}.subspan(x * edge, edge);
      before[x + 1] = before[x] + static_cast<std::size_t>(std::count(row.begin(), row.end(), 1));
    }
    by_threads(threads, threads, [&](std::size_t, std::size_t t) { each(t, before, f); });
  };
  auto const read = [&] { go([](std::uint16_t const& from, std::uint16_t& to) { to = from; }); };
  if (reads) {
    repeat(work, read);
    return print_sum<std::uint16_t const>(elements);
  }
  go([](std::uint16_t const& from, std::uint16_t& to) { to = from ^ 0x5555; });
  repeat(work, [&] { go([](std::uint16_t& to, std::uint16_t const& from) { to = from; }); });
  std::vector<std::uint16_t> whole(edge * edge);
  for (std::size_t i = 0; i < whole.size(); ++i) whole[i] = at(i / edge, i % edge);
  print_sum<std::uint16_t const>(whole);
}

void run(Work const& work) {
  if (work.action == "pick" || work.action == "put") return scattered(work);
  if (work.action == "read") return read_whole(work);
  if (work.action == "new") return read_new(work);
  if (work.action == "chunks") return read_chunks(work);
  if (work.action == "slab") return read_slab(work);
  if (work.action == "inner" || work.action == "each") return read_inner(work);
  if (work.action == "round-trip") return round_trip(work);
  if (work.action == "open") return open(work);
  if (work.action.starts_with("tiny")) return tiny(work);
  work.refuse();
}

}  // namespace

int main(int argc, char** argv) try { run({argc, argv}); } catch (std::exception const& error) {
  return std::fprintf(stderr, "loops: %s\n", error.what()), 1;
}
