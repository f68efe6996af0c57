// tessera copy: an array, or a group and all below it, encoded anew if asked for, in bounded memory.
#include <algorithm>
#include <atomic>
#include <iostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/buffer/scratch.hpp>

#include "arguments.hpp"
#include "boxes.hpp"
#include "chunk_keys.hpp"
#include "commands.hpp"
#include "consolidated.hpp"
#include "interruption.hpp"
#include "output_node.hpp"
#include "progress.hpp"
#include "source.hpp"
#include "stopwatch.hpp"
#include "tree.hpp"

namespace cli {
namespace {

struct Job {
  std::string from, to;  // paths, in the source and below the copy
  tessera::ArrayMetadata source, copy;
};

struct Plan {
  Store store;
  std::vector<std::pair<std::string, tessera::GroupMetadata>> groups{};
  std::vector<Job> arrays{};
  std::vector<std::string> left_out{};  // arrays that are not supported, and why
  std::uint64_t elements = 0;
};

tessera::ArrayMetadata asked_for(Copy const& command, tessera::ArrayMetadata metadata, std::string const& path) {
  auto const format = format_named(command.zarr_format, metadata.format);
  if (command.chunks || command.shards || format == tessera::ZarrFormat::v2) {
    take_out_of_shards(metadata);
    metadata.edges.clear();  // of a rectilinear grid: the chunks are as long as the longest
  }
  if (command.chunks) metadata.chunk_shape = parse_chunks(*command.chunks);
  if (!command.codecs.empty()) metadata.codecs = parse_codecs(command.codecs, metadata.type);
  if (command.shards) put_into_shards(metadata, parse_shards(*command.shards));
  if (format != metadata.format) {
    metadata.format = format;
    metadata.key_encoding = {};
  }
  if (command.chunks || command.shards || !command.codecs.empty())
    complete_as_asked(metadata, path.empty() ? command.source : path, complete_codecs);
  return metadata;
}

// Everything is looked at before anything is written.
Plan plan_for(Copy const& command) {
  auto const [store, path] = find_node(command.source, command);
  auto const above = path.empty() ? 0 : path.size() + 1;
  auto const tree = read_tree(store, path);
  Plan plan{store};
  each_node(tree, [&, &store = store](Tree const& node) {
    if (node.wrong) throw tessera::MetadataError{node.problem};
    if (!node.problem.empty()) {
      auto error = tessera::MetadataError{node.problem};
      error.in_key(node.key().path).in_store(store.name());
      return plan.left_out.emplace_back(error.what()), void();
    }
    auto const below = node.path.substr(std::min(node.path.size(), above));
    if (auto const* group = std::get_if<tessera::GroupMetadata>(&node.document)) {
      plan.groups.emplace_back(below, *group);
      plan.groups.back().second.format = format_named(command.zarr_format, group->format);
    } else {
      auto const& array = std::get<tessera::ArrayMetadata>(node.document);
      plan.arrays.push_back({node.path, below, array, asked_for(command, array, node.path)});
      plan.elements += tessera::element_count(array.shape, "shape");
    }
  });
  if (plan.arrays.empty() && !plan.left_out.empty()) throw tessera::MetadataError{plan.left_out.front()};
  return plan;
}

tessera::ZarrFormat format_of(Plan const& plan) {
  return plan.groups.empty() ? plan.arrays.front().copy.format : plan.groups.front().second.format;
}

constexpr std::uint64_t most = std::uint64_t{1} << 58;  // bytes; sums and products of more stay there

std::uint64_t times(std::uint64_t a, std::uint64_t b) { return b != 0 && a > most / b ? most : a * b; }

std::uint64_t bytes_of(tessera::Extents const& shape, tessera::DataType type) {
  std::uint64_t bytes = type.size;
  for (auto n : shape) bytes = times(bytes, n);
  return bytes;
}

// What a chunk needs of memory while it is read, or written: its elements beside what is encoded of them, twice. Of a
// shard that is read the index is there, as it is stored and as it is understood, and some inner chunks at a time; one
// that is written is there as it was, as its new chunks and as they are put together.
struct Needs {
  std::uint64_t read, written;
};

Needs needs_of(tessera::ArrayMetadata const& array) {
  auto const bytes = bytes_of(array.chunk_shape, array.type);
  auto inner = array;
  take_out_of_shards(inner);
  if (inner.chunk_shape == array.chunk_shape) return {times(bytes, 2), times(bytes, 2)};
  auto const each = bytes_of(inner.chunk_shape, array.type),
             indexes = times(bytes / std::max<std::uint64_t>(each, 1), 16);
  return {times(each, 2) + times(indexes, 2), times(bytes + bytes / 128 + indexes, 3) + times(each, 4) + (2 << 20)};
}

// A job needs so much with one thread, a box of the copy's elements among it.
std::uint64_t least_memory(Job const& job) {
  auto chunk = job.copy.chunk_shape;
  for (std::size_t d = 0; d < chunk.rank(); ++d) chunk[d] = std::min(chunk[d], job.copy.shape[d]);
  return bytes_of(chunk, job.copy.type) + std::max(needs_of(job.source).read, needs_of(job.copy).written);
}

constexpr std::uint64_t always = std::uint64_t{16} << 20;  // bytes that a copy may take whatever is asked

void expect_memory(Copy const& command, Store const& store, Job const& job) {
  auto const least = least_memory(job);
  if (least <= std::max(command.memory << 20, always)) return;
  auto error =
      tessera::SelectionError{tessera::text({"a chunk or shard of the copy takes ", (least >> 20) + 1,
                                             " MiB of memory on its way, expected at most --memory ", command.memory})};
  throw error.in_key(tessera::document_key(job.from, job.source.format).path).in_store(store.name());
}

// What a thread needs, however small the chunks are.
std::uint64_t passing(Job const& job) {
  auto const at_least = [](std::uint64_t bytes) { return std::max<std::uint64_t>(bytes, 3 << 20); };
  return at_least(needs_of(job.source).read) + at_least(needs_of(job.copy).written);
}

tessera::Extents box_shape(tessera::ArrayMetadata const& from, tessera::ArrayMetadata const& to, std::uint64_t budget) {
  BoxShape box{to.shape, to.chunk_shape, to.type.size, budget};
  // The dimension along which the most chunks of the source are cut in two grows first.
  for (bool grown = true; grown;) {
    grown = false;
    auto full = tessera::Extents::filled(to.shape.rank(), 0);
    for (std::size_t tried = 0; tried < full.rank() && !grown; ++tried) {
      auto const parts = [&](std::size_t d) {
        return static_cast<double>(box.shape()[d]) / static_cast<double>(from.chunk_shape[d]);
      };
      std::size_t least = full.rank();
      for (std::size_t d = 0; d < full.rank(); ++d)
        if (!full[d] && (least == full.rank() || parts(d) <= parts(least))) least = d;
      grown = box.grow(least, 2);
      full[least] = 1;
    }
  }
  return box.shape();
}

// Boxes of an array that have something in them, each by its number in C order. Requires: the array's elements can be
// counted.
class Boxes {
 public:
  Boxes(tessera::Extents const& shape, tessera::Extents const& box) : shape_{shape}, box_{box} {}

  /// Those that a region shares elements with.
  void add(tessera::Region const& region) {
    auto first = region.first, count = region.count;
    for (std::size_t d = 0; d < first.rank(); ++d) {
      first[d] = region.first[d] / box_[d];
      count[d] = (region.first[d] + region.count[d] - 1) / box_[d] - first[d] + 1;
    }
    each_box(count, tessera::Extents::filled(count.rank(), 1), [&](tessera::Region const& one) {
      std::uint64_t number = 0;
      for (std::size_t d = 0; d < first.rank(); ++d) number = number * along(d) + first[d] + one.first[d];
      if (numbers_.empty() || numbers_.back() != number) numbers_.push_back(number);
    });
    if (numbers_.size() < 2 * unlike_ + 1024) return;
    tidy();
    unlike_ = numbers_.size();
  }

  template <class F>
  void each(F&& f) {
    tidy();
    for (auto number : numbers_) {
      auto region = tessera::Region{box_, box_, tessera::Extents::filled(box_.rank(), 1)};
      for (auto d = box_.rank(); d-- > 0; number /= along(d)) {
        region.first[d] = number % along(d) * box_[d];
        region.count[d] = std::min(box_[d], shape_[d] - region.first[d]);
      }
      f(region);
    }
  }

 private:
  std::uint64_t along(std::size_t d) const { return shape_[d] / box_[d] + (shape_[d] % box_[d] != 0); }
  void tidy() {
    std::sort(numbers_.begin(), numbers_.end());
    numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  }

  tessera::Extents shape_, box_;
  std::vector<std::uint64_t> numbers_;
  std::size_t unlike_ = 0;
};

// Calls f with the place of every chunk that is there.
template <class F>
void each_stored(Array const& array, F&& f) {
  auto const grid = chunk_grid(array.metadata());
  array.store().list(array.path(), [&](tessera::Listed const& entry) {
    auto const below = entry.path.substr(array.path().empty() ? 0 : array.path().size() + 1);
    if (auto const place = chunk_of(below, array.metadata().key_encoding, grid)) f(*place);
  });
}

constexpr std::uint64_t few = 1000;  // chunks that are looked for one by one: a listing is no cheaper

// Most of its chunks are missing: those that are not are worth a list.
bool is_sparse(Array const& array) {
  auto const chunks = tessera::element_count(chunk_grid(array.metadata()), "the number of chunks");
  if (chunks <= few) return false;
  std::uint64_t stored = 0;
  each_stored(array, [&](auto const&) { ++stored; });
  return stored < chunks / 4;
}

// Copies box by box, and counts the elements.
void copy(Array const& from, Array const& to, std::uint64_t budget, std::uint64_t to_write,
          std::atomic<std::uint64_t>& done) {
  tessera::Scratch<tessera::space::Host> room;
  auto const copy_box = [&](tessera::Region const& region) {
    done += tessera::element_count(region.count, "the region");
    if (to.type().varies()) return copy_varying(from, to, region);
    auto const bytes = about(from, [&] { return room.take(size_in_bytes(region.count, to.type()), from.queue()); });
    tessera::Traffic traffic;
    read_elements(from, region, {bytes.data, bytes.size}, traffic);
    if (traffic.missing != traffic.chunks)  // else the box is missing in the copy as well
      write_elements(to, region, bytes.data, tessera::Layout::c_order(region.count, to.type().size).strides, to_write);
  };
  auto const& source = from.metadata();
  if (!is_sparse(from)) return each_box(to.shape(), box_shape(source, to.metadata(), budget), copy_box);
  auto const all = done + tessera::element_count(to.shape(), "shape");
  // Not much larger than a chunk, so that few that are missing are looked for beside it.
  auto const box =
      box_shape(source, to.metadata(), std::min(budget, times(bytes_of(source.chunk_shape, source.type), few)));
  Boxes boxes{to.shape(), box};
  each_stored(from, [&](tessera::Extents const& place) { boxes.add(region_of_chunk(source, place)); });
  boxes.each(copy_box);
  done = all;
}

}  // namespace

Status run(Copy const& command) {
  auto const plan = plan_for(command);
  for (auto const& job : plan.arrays) expect_memory(command, plan.store, job);
  Interruption const interruption;
  Stopwatch const watch;
  OutputNode output{command.destination, command.overwrite, command, format_of(plan)};
  auto const store = output.store();
  std::uint64_t bytes = 0;
  for (auto const& [path, group] : plan.groups)
    for (auto const& [key, text] : tessera::detail::new_documents(path, group))
      tessera::detail::write_text(store, key, text);
  {
    std::atomic<std::uint64_t> elements{0};
    Progress const progress{"copying", elements, plan.elements};
    for (auto const& job : plan.arrays) {
      auto const budget = command.memory << 20, each = passing(job);
      bytes += bytes_of(job.copy.shape, job.copy.type);
      auto const threads = std::clamp<std::uint64_t>(budget / 2 / each, 1, command.threads);
      auto const for_boxes = budget - std::min(budget, threads * each);
      Queue const on{threads};  // of its own: what it keeps goes with it
      auto const from = open_array(plan.store, job.from, on);
      auto const to = make_array(store, job.to, job.copy, on);
      auto const box = bytes_of(box_shape(job.source, job.copy, for_boxes), job.copy.type);
      copy(from, to, for_boxes, std::max(budget - std::min(budget, box), always), elements);
    }
  }
  output.commit();
  for (auto const& [path, group] : plan.groups)
    if (group.has_consolidated)
      report_consolidated(path.empty() ? command.source : command.source + '/' + path, "is not in the copy");
  auto const counted = [](std::size_t n, char const* what) {
    return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
  };
  std::cout << printable(command.destination) << ": " << counted(plan.arrays.size(), "array") << ", "
            << counted(plan.groups.size(), "group") << ", " << watch.took(bytes) << '\n';
  std::cout.flush();
  for (auto const& array : plan.left_out) report("left out: " + array);
  return plan.left_out.empty() ? done : wrong_data;
}

}  // namespace cli
