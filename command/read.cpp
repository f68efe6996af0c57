// tessera read: elements of an array, to a file, in bounded memory.
#include <algorithm>
#include <bit>
#include <iostream>
#include <string>

#include "commands.hpp"
#include "element_text.hpp"
#include "interruption.hpp"
#include "json_elements.hpp"
#include "npy.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "region.hpp"
#include "source.hpp"
#include "space.hpp"
#include "stopwatch.hpp"

namespace cli {
namespace {

// How many of a region's indices along dimension 0, from the done-th on, make the next slab: as many whole rows of
// chunks as fit into `budget` bytes, so that no chunk is decoded twice, but at least one row.
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

// Calls f with one part of a region after the other, in C order.
template <class F>
void each_slab(tessera::Region const& region, tessera::Extents const& chunk_shape, std::size_t item_size,
               std::uint64_t budget, F&& f) {
  auto const elements = tessera::element_count(region.count, "the region");
  if (elements == 0) return;
  if (region.count.rank() == 0) return f(region);
  auto const row_bytes = elements / region.count[0] * item_size;
  for (std::uint64_t done = 0; done < region.count[0];) {
    auto slab = region;
    slab.first[0] += done * region.step[0];
    slab.count[0] = slab_rows(region, done, chunk_shape[0], row_bytes, budget);
    f(slab);
    done += slab.count[0];
  }
}

void make_little_endian(std::span<std::byte> elements, tessera::ArrayMetadata const& array) {
  if constexpr (std::endian::native == std::endian::big) {
    auto const runs = tessera::detail::components_of(array.fields);
    for (std::size_t i = 0; i < elements.size(); i += array.type.size)
      tessera::detail::swap_components(elements.subspan(i, array.type.size), runs);
  }
}

// What --format says, or the end of the file's name.
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

// A line for each row along the last dimension; of one dimension, for each element.
void write_lines(Output& file, std::span<std::byte const> elements, tessera::ArrayMetadata const& array,
                 tessera::Extents const& shape, char separator) {
  auto const type = array.type;
  auto const columns = shape.rank() < 2 ? 1 : shape[shape.rank() - 1];
  std::string lines;
  for (std::size_t i = 0; i < elements.size() / type.size; ++i) {
    lines += element_text(elements.data() + i * type.size, type, array.fields);
    lines += (i + 1) % columns == 0 ? '\n' : separator;
    if (lines.size() < 1 << 16) continue;
    file.write(lines);
    lines.clear();
  }
  file.write(lines);
}

// Elements of any length, about so many bytes each as far as memory is concerned.
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
  auto const array = open_array(command.path, command.threads, command);
  auto const asked = asked_of(command.region, command.index, array.metadata());
  auto const& region = asked.region;
  auto const type = array.type();
  expect_written(format, type);

  Interruption const interruption;
  Stopwatch const watch;
  Output file{command.output, command.sync};
  auto const metadata = array.metadata();
  if (format == "npy") file.write(npy_header(asked.shape, {type, false, metadata.fields}));
  JsonElements json{asked.shape};
  if (format == "json" && tessera::element_count(asked.shape, "the region") == 0) file.write(json.empty());
  tessera::Traffic traffic;
  {
    Progress const progress{"reading", traffic.chunks, chunks_touched(region, array.chunk_shape())};
    auto const reader = space->reader(array);
    if (type.varies())
      each_slab(region, array.chunk_shape(), usual_text, command.memory << 20, [&](tessera::Region const& slab) {
        std::string text;
        for (auto const& element : read_texts(array, slab, traffic)) json.add(text, element);
        file.write(text);
      });
    else
      each_slab(region, array.chunk_shape(), type.size, command.memory << 20, [&](tessera::Region const& slab) {
        auto const elements = reader->read(slab, traffic);
        if (format == "csv" || format == "txt")
          return write_lines(file, elements, metadata, asked.shape, format == "csv" ? ',' : ' ');
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
