// tessera validate: decodes every chunk of every array, and says which keys fail and why.
#include <algorithm>
#include <atomic>
#include <iostream>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/buffer/scratch.hpp>

#include "boxes.hpp"
#include "chunk_keys.hpp"
#include "commands.hpp"
#include "progress.hpp"
#include "source.hpp"
#include "tree.hpp"
#include "utf8.hpp"

namespace cli {
namespace {

struct Failure {
  std::string key, problem;
};

struct Findings {
  std::vector<Failure> failures, unsupported;
  std::vector<std::string> strays;      // keys below an array that are none of its chunks
  std::vector<std::string> unfinished;  // what writers left that ended
  std::vector<std::string> links;       // that are not followed
  std::uint64_t arrays = 0, groups = 0, chunks = 0;

  void add(std::string const& key, tessera::Error const& error) {
    failures.push_back({error.key().empty() ? key : error.key(), in_own_words(error.what())});
  }
};

// Decodes the chunks of one array, many at a time.
class Decoder {
 public:
  Decoder(Array const& array, Findings& findings, std::atomic<std::uint64_t>& done)
      : array_{array}, findings_{findings}, done_{done} {}

  void add(tessera::Region const& chunk) {
    chunks_.push_back(chunk);
    if (chunks_.size() == 1024) finish();
  }
  void finish() {
    auto on = array_.queue();
    on.for_each(chunks_.size(), [&](std::size_t i) { decode(chunks_[i], on); });
    done_ += chunks_.size();
    chunks_.clear();
  }

 private:
  void decode(tessera::Region const& chunk, Queue& on) {
    auto error = problem_of(chunk, on);
    if (!error) return;
    std::vector<tessera::Error> errors;  // in a shard each inner chunk is damaged for itself
    if (!error->inner_chunk().empty() && has_many(chunk))
      each_box(chunk.count, array_.inner_chunk_shape(), [&](tessera::Region inner) {
        for (std::size_t d = 0; d < inner.first.rank(); ++d) inner.first[d] += chunk.first[d];
        if (auto problem = problem_of(inner, on)) errors.push_back(*std::move(problem));
      });
    if (errors.empty()) errors.push_back(*std::move(error));
    std::lock_guard lock{mutex_};
    findings_.chunks += errors.size();
    for (auto const& one : errors) findings_.add(one.key(), one);
  }

  // Counts what could be decoded.
  std::optional<tessera::Error> problem_of(tessera::Region const& chunk, Queue& on) {
    tessera::Traffic traffic;
    try {
      auto const room = on.lease<tessera::Scratch<tessera::space::Host>>();
      auto const bytes = room->take(size_in_bytes(chunk.count, array_.type()), on);
      array_.read(chunk, {bytes.data, tessera::Layout::c_order(chunk.count, array_.type().size).strides},
                  {.traffic = &traffic});
      std::lock_guard lock{mutex_};
      findings_.chunks += traffic.chunks - traffic.missing;
      return std::nullopt;
    } catch (tessera::Error& error) {
      auto key = array_.path().empty() ? "" : array_.path() + '/';
      auto place = chunk.first;
      for (std::size_t d = 0; d < place.rank(); ++d) place[d] /= array_.chunk_shape()[d];
      array_.metadata().key_encoding.append(key, place);
      return error.in_key(key).in_store(array_.store().name());
    }
  }

  bool has_many(tessera::Region const& region) const {
    for (std::size_t d = 0; d < region.count.rank(); ++d)
      if (region.count[d] > array_.inner_chunk_shape()[d]) return true;
    return false;
  }

  Array const& array_;
  Findings& findings_;
  std::atomic<std::uint64_t>& done_;
  std::vector<tessera::Region> chunks_;
  std::mutex mutex_;
};

// Grids that are larger are not walked: of such an array only those chunks are looked at that a listing shows.
constexpr std::uint64_t most_walked = 1 << 20;

void check_array(Array const& array, Findings& findings, std::atomic<std::uint64_t>& done) {
  auto const grid = chunk_grid(array.metadata());
  bool const walk = tessera::element_count(grid, "the number of chunks") <= most_walked;
  Decoder decoder{array, findings, done};
  auto const document = tessera::document_key(array.path()).path;
  try {
    array.store().list(array.path(), [&](tessera::Listed const& entry) {
      if (entry.path == document) return;
      auto const below = entry.path.substr(array.path().empty() ? 0 : array.path().size() + 1);
      auto const chunk = chunk_of(below, array.metadata().key_encoding, grid);
      if (entry.link == tessera::Link::to_keys) {
        findings.links.emplace_back(entry.path);
        tessera::StoreError error{tessera::detail::links_are_refused};
        return findings.add(findings.links.back(), error.in_key(entry.path).in_store(array.store().name()));
      }
      if (!chunk) return findings.strays.emplace_back(entry.path), void();
      if (walk) return;
      tessera::Region region{*chunk, *chunk, tessera::Extents::filled(grid.rank(), 1)};
      for (std::size_t d = 0; d < grid.rank(); ++d) {
        region.first[d] *= array.chunk_shape()[d];
        region.count[d] = std::min(array.chunk_shape()[d], array.shape()[d] - region.first[d]);
      }
      decoder.add(region);
    });
  } catch (tessera::Error const& error) {
    findings.add(array.path(), error);
  }
  if (walk) each_box(array.shape(), array.chunk_shape(), [&](tessera::Region const& chunk) { decoder.add(chunk); });
  decoder.finish();
}

std::string counted(std::uint64_t n, std::string const& what) {
  return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

void print(Findings const& found, std::string const& store) {
  for (auto const& failure : found.failures) std::cout << "error: " << printable(failure.problem) << '\n';
  for (auto const& key : found.strays)
    std::cout << printable("warning: " + store + ": key \"" + key + "\": no chunk of the array it is below") << '\n';
  for (auto const& key : found.unfinished)
    std::cout << printable("warning: " + store + ": key \"" + key + "\": left by a writer that ended; it may be erased")
              << '\n';
  for (auto const& [key, problem] : found.unsupported)
    std::cout << printable("not checked: " + store + ": key \"" + key + "\": " + problem) << '\n';
  std::cout << counted(found.arrays, "array") << ", " << counted(found.groups, "group") << ", "
            << counted(found.chunks, "chunk") << " decoded: " << counted(found.failures.size(), "failure") << ", "
            << counted(found.strays.size(), "stray key")
            << (found.unsupported.empty() ? "" : ", " + counted(found.unsupported.size(), "array") + " not supported")
            << '\n';
}

void print_json(Findings const& found, std::string const& store) {
  using tessera::List, tessera::Members, tessera::Value;
  auto const number = [](std::uint64_t n) { return tessera::Number{std::to_string(n)}; };
  auto const listed = [](std::vector<Failure> const& problems) {
    List list;
    for (auto const& [key, problem] : problems)
      list.push_back(Members{{"key", valid_utf8(key)}, {"problem", valid_utf8(problem)}});
    return list;
  };
  auto const keys = [](std::vector<std::string> const& names) {
    List list;
    for (auto const& key : names) list.push_back(valid_utf8(key));
    return list;
  };
  std::cout << tessera::to_json(Members{{"store", valid_utf8(store)},
                                        {"arrays", number(found.arrays)},
                                        {"groups", number(found.groups)},
                                        {"chunks", number(found.chunks)},
                                        {"failures", listed(found.failures)},
                                        {"unsupported", listed(found.unsupported)},
                                        {"strays", keys(found.strays)},
                                        {"unfinished", keys(found.unfinished)}})
            << '\n';
}

}  // namespace

Status run(Validate const& command) {
  auto const [store, path] = find_node(command.path, command);
  auto const tree = read_tree(store, path);
  std::uint64_t total = 0;
  each_node(tree, [&](Tree const& node) {
    auto const* array = std::get_if<tessera::ArrayMetadata>(&node.document);
    if (!array) return;
    auto const chunks = tessera::element_count(chunk_grid(*array), "the number of chunks");
    if (chunks <= most_walked) total += chunks;
  });
  Findings found;
  {
    std::atomic<std::uint64_t> done{0};
    Progress const progress{done, total};
    Queue const on{command.threads};
    each_node(tree, [&, &store = store](Tree const& node) {
      auto const key = tessera::document_key(node.path).path;
      if (!node.problem.empty() && !node.wrong) return found.unsupported.push_back({key, node.problem});
      found.groups += std::holds_alternative<tessera::GroupMetadata>(node.document);
      found.arrays += std::holds_alternative<tessera::ArrayMetadata>(node.document);
      try {
        if (node.wrong)
          found.failures.push_back({key, in_own_words(node.problem)});
        else if (std::holds_alternative<tessera::ArrayMetadata>(node.document))
          check_array(open_array(store, node.path, on), found, done);
      } catch (tessera::Error const& error) {
        found.add(key, error);
      }
    });
  }
  try {
    store.list_unfinished(path, [&](tessera::Listed const& entry) { found.unfinished.emplace_back(entry.path); });
  } catch (tessera::Error const& error) {
    found.add(path, error);
  }
  std::sort(found.unfinished.begin(), found.unfinished.end());
  for (auto const& link : found.links)  // is said once, not for each chunk behind it
    std::erase_if(found.failures, [&](Failure const& failure) { return failure.key.starts_with(link + '/'); });
  std::stable_sort(found.failures.begin(), found.failures.end(),
                   [](Failure const& a, Failure const& b) { return a.key < b.key; });
  std::sort(found.strays.begin(), found.strays.end());
  (command.json ? print_json : print)(found, store.name());
  return found.failures.empty() ? done : wrong_data;
}

}  // namespace cli
