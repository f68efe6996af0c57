// tessera copy: copies an array, or a group and all below it, re-encoded if requested, in bounded memory.
#include <algorithm>
#include <atomic>
#include <iostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/detail/missing_node.hpp>
#include <tessera/metadata/detail/missing_numbers.hpp>
#include <tessera/metadata/detail/new_documents.hpp>

#include "address.hpp"
#include "arguments.hpp"
#include "boxes.hpp"
#include "chunk_keys.hpp"
#include "commands.hpp"
#include "consolidated.hpp"
#include "interruption.hpp"
#include "needs.hpp"
#include "output_place.hpp"
#include "part_shape.hpp"
#include "progress.hpp"
#include "source.hpp"
#include "source_identity.hpp"
#include "stopwatch.hpp"
#include "tree.hpp"

namespace cli {
namespace {

struct Job {
  std::string from, to;  // paths, in the source and below the copy
  tessera::ArrayMetadata source, copy;
  bool is_encoded_anew;  // as requested
};

struct Plan {
  Store store;
  std::vector<std::pair<std::string, tessera::GroupMetadata>> groups{};
  std::vector<Job> arrays{};
  std::vector<std::string> left_out{};  // unsupported arrays, and why
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
    metadata = tessera::detail::missing_in_format(std::move(metadata), format);
    metadata.format = format;
    metadata.key_encoding = {};
  }
  if (command.chunks || command.shards || !command.codecs.empty())
    complete_as_asked(metadata, path.empty() ? command.source : path, complete_codecs);
  return metadata;
}

// Everything is checked before anything is written.
Plan plan_for(Copy const& command) {
  auto const [store, path] = find_source(command.source, command);
  auto const above = path.empty() ? 0 : path.size() + 1;
  auto const tree = read_tree(store, path);
  Plan plan{store};
  each_node(tree, [&, &store = store](Tree const& node) {
    if (node.wrong) throw tessera::MetadataError{node.problem};
    tessera::detail::expect_attributes(node.broken_attributes());
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
      auto copy = asked_for(command, array, node.path);
      try {
        (void)complete_codecs(copy);
      } catch (tessera::CodecError& error) {  // tessera decodes one of them but does not encode it
        error.in_key(node.key().path).in_store(store.name());
        return plan.left_out.emplace_back(error.what()), void();
      } catch (tessera::MetadataError const&) {  // the copy reports it when it is created
      }
      bool const is_anew = command.chunks || command.shards || !command.codecs.empty() || copy.format != array.format;
      plan.arrays.push_back({node.path, below, array, std::move(copy), is_anew});
      plan.elements = sum_or_most(plan.elements, tessera::count_or_most(array.shape));
    }
  });
  if (plan.arrays.empty() && !plan.left_out.empty()) throw tessera::MetadataError{plan.left_out.front()};
  return plan;
}

tessera::ZarrFormat format_of(Plan const& plan) {
  return plan.groups.empty() ? plan.arrays.front().copy.format : plan.groups.front().second.format;
}

// How chunks reach the copy: in boxes of decoded elements, each of whole chunks or shards of the copy; as parts of
// shards, of decoded elements; or as encoded inner chunks of shards.
enum class Way { boxes, parts, encoded };

// Memory of a job with one thread, including a box of the copy's elements.
std::uint64_t least_memory(Job const& job, Way way) {
  auto chunk = job.copy.chunk_shape;
  if (way == Way::boxes) {
    for (std::size_t d = 0; d < chunk.rank(); ++d) chunk[d] = std::min(chunk[d], job.copy.shape[d]);
    return sum_or_most(bytes_of_shape(chunk, job.copy.type),
                       std::max(needs_of(job.source).read, needs_of(job.copy).written));
  }
  auto inner = job.copy;
  take_out_of_shards(inner);
  auto const each = bytes_of_shape(inner.chunk_shape, inner.type);
  auto const index = times(bytes_of_shape(chunk, inner.type) / std::max<std::uint64_t>(each, 1), 16);
  auto const of_chunk = times(each, 6), of_copy = sum_or_most(times(index, 2), of_chunk);
  return way == Way::encoded ? sum_or_most(of_copy, times(index, 1)) : sum_or_most(of_copy, needs_of(job.source).read);
}

bool fits(Copy const& command, Job const& job, Way way) {
  return least_memory(job, way) <= std::max(command.memory << 20, always);
}

// Shards that can be written in parts: not nested, with their index at the end.
bool has_parts(tessera::ArrayMetadata const& array) {
  if (array.codecs.size() != 1 || array.codecs.front().name != "sharding_indexed" || !array.edges.empty()) return false;
  tessera::ObjectReader configuration{array.codecs.front().configuration, "configuration"};
  auto const location = configuration.find("index_location");
  auto const codecs = configuration.at("codecs");
  for (std::size_t i = 0; i < codecs.list().size(); ++i)
    if (tessera::specification(codecs.item(i)).name == "sharding_indexed") return false;
  return !location || location->string() == "end";
}

Way way_of(Copy const& command, Job const& job) {
  if (!has_parts(job.copy)) return Way::boxes;
  if (!job.is_encoded_anew) return Way::encoded;
  return fits(command, job, Way::boxes) || job.copy.type.varies() ? Way::boxes : Way::parts;
}

void expect_memory(Copy const& command, Store const& store, Job const& job) {
  auto const way = way_of(command, job);
  if (fits(command, job, way)) return;
  auto const least = least_memory(job, way);
  auto error =
      tessera::BudgetError{tessera::to_text({"a chunk or shard of the copy takes ", (least >> 20) + 1,
                                             " MiB of memory on its way, expected at most --memory ", command.memory})};
  throw error.in_key(tessera::document_key(job.from, job.source.format).path).in_store(store.name());
}

// Memory of a thread, however small the chunks are.
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

// The boxes of an array that are not empty, each once, in C order.
class Boxes {
 public:
  Boxes(tessera::Extents const& shape, tessera::Extents const& box) : shape_{shape}, box_{box}, places_{box.rank()} {}

  /// Those that a region shares elements with.
  void add(tessera::Region const& region) {
    auto first = region.first, count = region.count;
    for (std::size_t d = 0; d < first.rank(); ++d) {
      first[d] = region.first[d] / box_[d];
      count[d] = (region.first[d] + region.count[d] - 1) / box_[d] - first[d] + 1;
    }
    each_box(count, tessera::Extents::filled(count.rank(), 1), [&](tessera::Region const& one) {
      auto place = first;
      for (std::size_t d = 0; d < first.rank(); ++d) place[d] += one.first[d];
      places_.add(place);
    });
    if (places_.size() < 2 * unlike_ + 1024) return;
    unlike_ = places().size();
  }

  tessera::detail::Places const& places() {
    places_.sort();
    return places_;
  }

  template <class F>
  void each(F&& f) {
    auto const& all = places();
    for (std::size_t i = 0; i < all.size(); ++i) {
      auto region = tessera::Region{all[i], box_, tessera::Extents::filled(box_.rank(), 1)};
      for (std::size_t d = 0; d < box_.rank(); ++d) {
        region.first[d] *= box_[d];
        region.count[d] = std::min(box_[d], shape_[d] - region.first[d]);
      }
      f(region);
    }
  }

 private:
  tessera::Extents shape_, box_;
  tessera::detail::Places places_;
  std::size_t unlike_ = 0;
};

// Calls f with the place of every chunk that is present.
template <class F>
void each_stored(Array const& array, F&& f) {
  auto const grid = chunk_grid(array.metadata());
  array.store().list(array.path(), [&](tessera::Listed const& entry) {
    auto const below = entry.path.substr(array.path().empty() ? 0 : array.path().size() + 1);
    if (auto const place = chunk_of(below, array.metadata().key_encoding, grid)) f(*place);
  });
}

constexpr std::uint64_t few = 1000;  // chunks that are looked up one by one: a listing is not cheaper

// Most of its chunks are missing: listing the others pays.
bool is_sparse(Array const& array) {
  auto const chunks = tessera::count_or_most(chunk_grid(array.metadata()));
  if (chunks <= few || !array.store().can_list()) return false;
  std::uint64_t stored = 0;
  each_stored(array, [&](auto const&) { ++stored; });
  return stored < chunks / 4;
}

// What a copy that ended early has written of an array, value by value.
class Written {
 public:
  /// `is_resumed`: otherwise there is nothing. The arguments must outlive this.
  Written(OutputPlace& place, Array const& to, bool is_resumed)
      : place_{place}, to_{to}, is_resumed_{is_resumed && to.metadata().edges.empty()} {}

  explicit operator bool() const { return is_resumed_; }
  /// Whether the copy has the chunk or shard.
  bool has(tessera::Extents const& chunk) const {
    return is_resumed_ && to_.store().size({key_of(chunk)}, to_.queue()).has_value();
  }
  /// Before a shard is written part by part.
  void begin(tessera::Extents const& shard) const { place_.begin_value(key_of(shard)); }

 private:
  std::string key_of(tessera::Extents const& chunk) const {
    auto key = to_.path().empty() ? "" : to_.path() + '/';
    to_.metadata().key_encoding.append(key, chunk);
    return key;
  }

  OutputPlace& place_;
  Array const& to_;
  bool is_resumed_;
};

// The chunks of a box that are not written yet, as regions of the array; one region, if that is all of them.
std::vector<tessera::Region> unwritten(Written const& written, tessera::Region const& box,
                                       tessera::ArrayMetadata const& array) {
  if (!written) return {box};
  auto first = box.first, count = box.count;
  for (std::size_t d = 0; d < first.rank(); ++d) {
    first[d] = box.first[d] / array.chunk_shape[d];
    count[d] = (box.first[d] + box.count[d] - 1) / array.chunk_shape[d] - first[d] + 1;
  }
  std::vector<tessera::Region> regions;
  bool is_all = true;
  each_box(count, tessera::Extents::filled(count.rank(), 1), [&](tessera::Region const& one) {
    auto place = first;
    for (std::size_t d = 0; d < place.rank(); ++d) place[d] += one.first[d];
    if (written.has(place))
      is_all = false;
    else
      regions.push_back(region_of_chunk(array, place));
  });
  return is_all ? std::vector{box} : regions;
}

// Copies box by box, and counts the elements.
void copy(Array const& from, Array const& to, Written const& written, std::uint64_t budget, std::uint64_t to_write,
          std::atomic<std::uint64_t>& done) {
  tessera::Scratch<tessera::space::Host> room;
  auto const target = to.metadata();
  auto const copy_region = [&](tessera::Region const& region) {
    if (to.type().varies()) return copy_varying(from, to, region);
    auto const bytes = about(from, [&] { return room.take(size_in_bytes(region.count, to.type()), from.queue()); });
    tessera::Traffic traffic;
    read_elements(from, region, {bytes.data, bytes.size}, traffic);
    if (traffic.missing != traffic.chunks)  // otherwise the box is missing in the copy as well
      write_elements(to, region, bytes.data, tessera::Layout::c_order(region.count, to.type().size).strides, to_write);
  };
  auto const copy_box = [&](tessera::Region const& box) {
    done += tessera::element_count(box.count, "the region");
    for (auto const& region : unwritten(written, box, target)) copy_region(region);
  };
  auto const& source = from.metadata();
  if (!is_sparse(from)) return each_box(to.shape(), box_shape(source, to.metadata(), budget), copy_box);
  auto const all = sum_or_most(done, tessera::count_or_most(to.shape()));
  // Not much larger than a chunk, so that few missing ones are looked up beside it.
  auto const box =
      box_shape(source, to.metadata(), std::min(budget, times(bytes_of_shape(source.chunk_shape, source.type), few)));
  Boxes boxes{to.shape(), box};
  each_stored(from, [&](tessera::Extents const& place) { boxes.add(region_of_chunk(source, place)); });
  boxes.each(copy_box);
  done = all;
}

// Copies shard by shard, and each in parts.
void copy_in_parts(Array const& from, Array const& to, Written const& written, bool resumes, std::uint64_t part,
                   std::atomic<std::uint64_t>& done) {
  tessera::Scratch<tessera::space::Host> room;
  auto const metadata = to.metadata();
  auto const copy_shard = [&](tessera::Region const& shard) {
    auto place = shard.first;
    for (std::size_t d = 0; d < place.rank(); ++d) place[d] /= metadata.chunk_shape[d];
    if (written.has(place)) return void(done += tessera::element_count(shard.count, "the region"));
    if (resumes) written.begin(place);
    write_shard(to, place, [&](WritePart write) {
      each_box(shard.count, part_shape(metadata, shard.count, part), [&](tessera::Region region) {
        for (std::size_t d = 0; d < place.rank(); ++d) region.first[d] += shard.first[d];
        done += tessera::element_count(region.count, "the region");
        auto const bytes = about(from, [&] { return room.take(size_in_bytes(region.count, to.type()), from.queue()); });
        tessera::Traffic traffic;
        read_elements(from, region, {bytes.data, bytes.size}, traffic);
        if (traffic.missing != traffic.chunks) write(region, bytes.data);
      });
    });
  };
  if (!is_sparse(from)) return each_box(to.shape(), metadata.chunk_shape, copy_shard);
  auto const all = sum_or_most(done, tessera::count_or_most(to.shape()));
  Boxes shards{to.shape(), metadata.chunk_shape};
  auto const source = from.metadata();
  each_stored(from, [&](tessera::Extents const& chunk) { shards.add(region_of_chunk(source, chunk)); });
  shards.each(copy_shard);
  done = all;
}

void copy_encoded(Array const& from, Array const& to, Written const& written, bool resumes, std::uint64_t part,
                  std::atomic<std::uint64_t>& done) {
  auto const all = sum_or_most(done, tessera::count_or_most(to.shape()));
  tessera::detail::Places places{from.chunk_shape().rank()};
  auto const copy_places = [&] {
    auto const begin = [&](tessera::Extents const& place) {
      if (resumes) written.begin(place);
    };
    copy_shards(from, to, places, part, begin, done);
    places = tessera::detail::Places{from.chunk_shape().rank()};
  };
  if (from.store().can_list()) {
    each_stored(from, [&](tessera::Extents const& place) {
      if (!written.has(place)) places.add(place);
    });
  } else {
    auto const grid = chunk_grid(from.metadata());
    each_box(grid, tessera::Extents::filled(grid.rank(), 1), [&](tessera::Region const& one) {
      if (!written.has(one.first)) places.add(one.first);
      if (places.size() == few) copy_places();
    });
  }
  copy_places();
  done = all;
}

// What the copy is of, and as what: its source and its documents.
std::string described(Copy const& command, Plan const& plan) {
  auto text = source_identity(command.source, command.access);
  auto const add = [&](auto const& path, auto const& metadata) {
    for (auto const& [key, document] : tessera::detail::new_documents(path, metadata))
      text += '\n' + key.path + ' ' + document;
  };
  for (auto const& [path, group] : plan.groups) add(path, group);
  for (auto const& job : plan.arrays) add(job.to, job.copy);
  return text;
}

}  // namespace

Status run(Copy const& command) {
  auto const plan = plan_for(command);
  for (auto const& job : plan.arrays) expect_memory(command, plan.store, job);
  Interruption const interruption;
  Stopwatch const watch;
  auto const output = make_output(command.destination, command.overwrite, command, format_of(plan));
  bool const is_resumed = command.resume && output->resume(described(command, plan));
  auto const store = output->store();
  std::uint64_t bytes = 0;
  for (auto const& [path, group] : plan.groups)
    for (auto const& [key, text] : tessera::detail::new_documents(path, group))
      tessera::detail::write_text(store, key, text);
  try {
    std::atomic<std::uint64_t> elements{0};
    Progress const progress{"copying", elements, plan.elements, &plan.store.reads()};
    for (auto const& job : plan.arrays) {
      auto const budget = command.memory << 20;
      auto const way = way_of(command, job);
      auto const each = way == Way::boxes ? passing(job) : std::max<std::uint64_t>(needs_of(job.source).read, 3 << 20);
      bytes += bytes_of_shape(job.copy.shape, job.copy.type);
      auto const threads = std::clamp<std::uint64_t>(budget / 2 / each, 1, command.threads);
      auto const for_boxes = budget - std::min(budget, threads * each);
      Queue const on{threads};  // its own: its cache is freed with it
      auto const from = open_array(plan.store, job.from, on);
      bool const is_begun = is_resumed && tessera::detail::node_key(store, job.to);
      auto const to = is_begun ? open_array(store, job.to, on) : make_array(store, job.to, job.copy, on);
      Written const written{*output, to, is_begun};
      if (way != Way::boxes && takes_parts(to)) {
        auto const part = std::clamp<std::uint64_t>(for_boxes / 8, 1 << 20, 64 << 20);
        way == Way::encoded ? copy_encoded(from, to, written, command.resume, part, elements)
                            : copy_in_parts(from, to, written, command.resume, part, elements);
        continue;
      }
      auto const box = bytes_of_shape(box_shape(job.source, job.copy, for_boxes), job.copy.type);
      copy(from, to, written, for_boxes, std::max(budget - std::min(budget, box), always), elements);
    }
  } catch (...) {
    Interruption::check(command.resume);
    throw;
  }
  output->commit();
  for (auto const& [path, group] : plan.groups)
    if (group.has_consolidated)
      report_consolidated(path.empty() ? shown_path(command.source) : shown_path(command.source) + '/' + path,
                          "is not in the copy");
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
