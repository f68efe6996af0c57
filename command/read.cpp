// tessera read: writes elements of an array to a file, in bounded memory.
#include <algorithm>
#include <bit>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "commands.hpp"
#include "element_text.hpp"
#include "interruption.hpp"
#include "json_elements.hpp"
#include "needs.hpp"
#include "npy.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "region.hpp"
#include "source.hpp"
#include "space.hpp"
#include "stopwatch.hpp"
#include "unpacked.hpp"

namespace cli {
namespace {

// How many of a region's indices along dimension 0, from the done-th on, form the next slab: the number of whole rows
// of chunks that fit into `budget` bytes, so that no chunk is decoded twice, but at least one row.
std::uint64_t slab_rows(tessera::Region const& region, std::uint64_t done, std::uint64_t chunk_length,
                        std::uint64_t row_bytes, std::uint64_t budget) {
  auto const first = region.first[0], step = region.step[0], left = region.count[0] - done;
  auto const fitting = std::max<std::uint64_t>(budget / row_bytes, 1);
  if (fitting >= left) return left;
  // The indices below the first element of the row of chunks that `index` is in.
  auto const below = [&](std::uint64_t index) {
    auto const start = index / chunk_length * chunk_length;
    return start <= first ? 0 : (start - first - 1) / step + 1;
  };
  auto const cut = below(first + (done + fitting) * step);
  if (cut > done) return cut - done;
  return std::min(left, below(first + done * step + chunk_length) - done);
}

// Calls f with the parts of a region, in C order. `is_bound`: none is larger than the budget, even if chunks are then
// read for several parts; otherwise each has whole rows of chunks.
template <class F>
void each_slab(tessera::Region const& region, tessera::Extents const& chunk_shape, std::size_t item_size,
               std::uint64_t budget, bool is_bound, F&& f, std::size_t d = 0) {
  auto const elements = tessera::element_count(region.count, "the region");
  if (elements == 0) return;
  if (d == region.count.rank()) return f(region);
  auto const row_bytes = elements / region.count[d] * item_size;
  for (std::uint64_t done = 0; done < region.count[d];) {
    auto slab = region;
    slab.first[d] += done * region.step[d];
    auto const left = region.count[d] - done;
    slab.count[d] = d == 0 ? slab_rows(region, done, chunk_shape[0], row_bytes, budget) : left;
    if (is_bound) slab.count[d] = std::min(slab.count[d], std::max<std::uint64_t>(budget / row_bytes, 1));
    done += slab.count[d];
    if (is_bound && row_bytes > budget)
      each_slab(slab, chunk_shape, item_size, budget, is_bound, f, d + 1);
    else
      f(slab);
  }
}

// Memory of a thread besides the elements: at least the bookkeeping of a mini-batch of small chunks.
std::uint64_t passing(tessera::ArrayMetadata const& array) {
  return std::max<std::uint64_t>(needs_of(array).read, std::uint64_t{8} << 20);
}

// Throws: tessera::BudgetError, if one chunk and the index of its shard exceed the budget.
void expect_memory(Read const& command, Array const& array) {
  auto const least = sum_or_most(needs_of(array.metadata()).read, array.type().size);
  if (least <= std::max(*command.memory << 20, always)) return;
  throw tessera::BudgetError{
      tessera::to_text({"a chunk, or a shard's index, takes ", (least >> 20) + 1,
                        " MiB of memory on its way, expected at most --memory ", *command.memory})};
}

void make_little_endian(std::span<std::byte> elements, tessera::ArrayMetadata const& array) {
  if constexpr (std::endian::native == std::endian::big) {
    auto const runs = tessera::detail::components_of(array.fields);
    for (std::size_t i = 0; i < elements.size(); i += array.type.size)
      tessera::detail::swap_components(elements.subspan(i, array.type.size), runs);
  }
}

// The value of --format, or the extension of the file.
std::string format_of(Read const& command) {
  bool const standard = Output::is_standard(command.output);
  auto format = command.format;
  if (format.empty() && standard) format = "npy";
  for (auto const* one : {"npy", "bin", "csv", "txt", "json"})
    if (format.empty() && command.output.ends_with(std::string{"."} + one)) format = one;
  if (format.empty())
    throw UsageError{"--output " + command.output +
                     ": a name that ends in .npy, .bin, .csv, .txt or .json is expected, or --format"};
  if (standard && (format == "npy" || format == "bin") && ::isatty(STDOUT_FILENO))
    throw UsageError{"--output -: the standard output is a terminal; --format txt is for people, and tessera show"};
  return format;
}

// A line for each row along the last dimension; of one dimension, for each element. `before` are written already.
void write_lines(Output& file, std::span<std::byte const> elements, tessera::ArrayMetadata const& array,
                 tessera::Extents const& shape, char separator, std::uint64_t& before) {
  auto const type = array.type;
  auto const columns = shape.rank() < 2 ? 1 : shape[shape.rank() - 1];
  std::string lines;
  for (std::size_t i = 0; i < elements.size() / type.size; ++i) {
    lines += element_text(elements.data() + i * type.size, type, array.fields);
    lines += ++before % columns == 0 ? '\n' : separator;
    if (lines.size() < 1 << 16) continue;
    file.write(lines);
    lines.clear();
  }
  file.write(lines);
}

// Elements of any length, with an estimate of the bytes of each.
constexpr std::size_t usual_text = 64;

void expect_written(std::string const& format, tessera::DataType type) {
  if (type.varies() && format != "json")
    throw UsageError{"elements of " + type.name() + " are written as JSON, and not as " + format};
}

void write_json(Output& file, std::span<std::byte const> elements, tessera::ArrayMetadata const& array,
                JsonElements& json) {
  std::string text;
  for (std::size_t i = 0; i < elements.size(); i += array.type.size) {
    json.add(text, json_element(elements.subspan(i, array.type.size), array.type, array.fields));
    if (text.size() < 1 << 16) continue;
    file.write(text);
    text.clear();
  }
  file.write(text);
}

}  // namespace

Status run(Read const& command) {
  auto const format = format_of(command);
  auto const space = space_named(command.space, Queue{command.threads});
  auto array = open_source(command.path, command.threads, command);
  auto budget = std::uint64_t{256} << 20;
  if (command.memory) {
    budget = *command.memory << 20;
    about(array, [&] { expect_memory(command, array); });
    auto const each = passing(array.metadata());
    auto const threads = std::clamp<std::uint64_t>(budget / 2 / each, 1, command.threads);
    if (threads < command.threads) array = open_source(command.path, threads, command);
    budget = std::max(budget - std::min(budget, threads * each), std::uint64_t{1} << 20);
  }
  bool const is_bound = command.memory.has_value();
  auto const asked = asked_of(command.region, command.index, array.metadata());
  auto const& region = asked.region;
  auto metadata = array.metadata();  // of the written elements
  auto const stored = array.type();
  auto const unpacking = command.unpacked ? std::optional{unpacking_of(array)} : std::nullopt;
  if (unpacking) metadata.type = unpacked_type;
  auto const type = metadata.type;
  expect_written(format, type);
  about(array, [&] { (void)size_in_bytes(asked.shape, type); });  // of a file, which 64 bits count

  Interruption const interruption;
  Stopwatch const watch;
  Output file{command.output, command.sync};
  if (format == "npy") file.write(npy_header(asked.shape, {type, false, metadata.fields}));
  JsonElements json{asked.shape};
  if (format == "json" && tessera::element_count(asked.shape, "the region") == 0) file.write(json.empty());
  tessera::Traffic traffic;
  std::uint64_t in_lines = 0;
  {
    Progress const progress{"reading", traffic.chunks, chunks_touched(region, array.chunk_shape())};
    auto const reader = space->reader(array);
    if (type.varies())
      each_slab(region, array.chunk_shape(), usual_text, budget, is_bound, [&](tessera::Region const& slab) {
        std::string text;
        for (auto const& element : read_texts(array, slab, traffic)) json.add(text, element);
        file.write(text);
      });
    else
      each_slab(region, array.chunk_shape(), stored.size + (unpacking ? type.size : 0), budget, is_bound,
                [&](tessera::Region const& slab) {
                  auto elements = reader->read(slab, traffic);
                  std::vector<double> numbers;
                  if (unpacking) {
                    numbers = unpacked(elements, stored, *unpacking);
                    elements = std::as_writable_bytes(std::span{numbers});
                  }
                  if (format == "csv" || format == "txt")
                    return write_lines(file, elements, metadata, asked.shape, format == "csv" ? ',' : ' ', in_lines);
                  if (format == "json") return write_json(file, elements, metadata, json);
                  make_little_endian(elements, metadata);
                  file.write(elements.data(), elements.size());
                });
  }
  file.commit();
  if (Output::is_standard(command.output)) return done;
  std::cout << printable(command.output) << ": " << type.name() << ' ' << tessera::to_string(asked.shape) << ", "
            << watch.took(size_in_bytes(region.count, type)) << '\n';
  return done;
}

}  // namespace cli
