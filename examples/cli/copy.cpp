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
#include "commands.hpp"
#include "interruption.hpp"
#include "output_node.hpp"
#include "progress.hpp"
#include "source.hpp"
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
  if (command.chunks || command.shards) take_out_of_shards(metadata);
  if (command.chunks) metadata.chunk_shape = parse_chunks(*command.chunks);
  if (!command.codecs.empty()) metadata.codecs = parse_codecs(command.codecs);
  if (command.shards) put_into_shards(metadata, parse_shards(*command.shards));
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
      error.in_key(tessera::document_key(node.path).path).in_store(store.name());
      return plan.left_out.emplace_back(error.what()), void();
    }
    auto const below = node.path.substr(std::min(node.path.size(), above));
    if (auto const* group = std::get_if<tessera::GroupMetadata>(&node.document)) {
      plan.groups.emplace_back(below, *group);
    } else {
      auto const& array = std::get<tessera::ArrayMetadata>(node.document);
      plan.arrays.push_back({node.path, below, array, asked_for(command, array, node.path)});
      plan.elements += tessera::element_count(array.shape, "shape");
    }
  });
  if (plan.arrays.empty() && !plan.left_out.empty()) throw tessera::MetadataError{plan.left_out.front()};
  return plan;
}

// What a chunk needs of memory while it passes a pipeline: its bytes, decoded and encoded, at most so many times.
std::uint64_t passing(tessera::ArrayMetadata const& array) {
  return 3 * std::max<std::uint64_t>(size_in_bytes(array.chunk_shape, array.type), 1 << 20);
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

// Copies box by box, and counts the elements.
void copy(Array const& from, Array const& to, std::uint64_t budget, std::atomic<std::uint64_t>& done) {
  tessera::Scratch<tessera::space::Host> room;
  auto const box = box_shape(from.metadata(), to.metadata(), budget);
  each_box(to.shape(), box, [&](tessera::Region const& region) {
    auto const bytes = about(from, [&] { return room.take(size_in_bytes(region.count, to.type()), from.queue()); });
    tessera::Traffic traffic;
    read_elements(from, region, {bytes.data, bytes.size}, traffic);
    if (traffic.missing != traffic.chunks)  // else the box is missing in the copy as well
      write_elements(to, region, bytes.data, tessera::Layout::c_order(region.count, to.type().size).strides);
    done += tessera::element_count(region.count, "the region");
  });
}

}  // namespace

Status run(Copy const& command) {
  auto const plan = plan_for(command);
  Interruption const interruption;
  OutputNode output{command.destination, command.overwrite, command};
  auto const store = output.store();
  for (auto const& [path, group] : plan.groups) tessera::write_document(store, path, to_value(group));
  {
    std::atomic<std::uint64_t> elements{0};
    Progress const progress{elements, plan.elements};
    for (auto const& job : plan.arrays) {
      auto const budget = command.memory << 20, each = passing(job.source) + passing(job.copy);
      auto const threads = std::clamp<std::uint64_t>(budget / 2 / each, 1, command.threads);
      Queue const on{threads};  // of its own: what it keeps goes with it
      auto const from = open_array(plan.store, job.from, on);
      auto const to = make_array(store, job.to, job.copy, on);
      copy(from, to, budget - std::min(budget, threads * each), elements);
    }
  }
  output.commit();
  auto const counted = [](std::size_t n, char const* what) {
    return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
  };
  std::cout << printable(command.destination) << ": " << counted(plan.arrays.size(), "array") << ", "
            << counted(plan.groups.size(), "group") << '\n';
  std::cout.flush();
  for (auto const& array : plan.left_out) report("left out: " + array);
  return plan.left_out.empty() ? done : wrong_data;
}

}  // namespace cli
