// tessera validate: decodes every chunk of every array, and reports which keys fail and why.
#include <algorithm>
#include <atomic>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/metadata/json.hpp>
#include <tessera/node/consolidate.hpp>
#include <tessera/store/get.hpp>

#include "address.hpp"
#include "boxes.hpp"
#include "chunk_keys.hpp"
#include "commands.hpp"
#include "lost_documents.hpp"
#include "progress.hpp"
#include "source.hpp"
#include "space.hpp"
#include "tree.hpp"
#include "utf8.hpp"

namespace cli {
namespace {

struct Failure {
  std::string key, problem;
  std::string cause{};              // the problem without its numbers
  std::uint64_t inner_chunks = 0;   // of a shard, with this cause
  std::vector<std::string> more{};  // positions of the first few, except the one that the problem names
};

// A report has a line for each key and cause, however many inner chunks fail.
struct Findings {
  std::vector<Failure> failures, unsupported;
  std::vector<std::string> strays;      // keys below an array that are not chunk keys
  std::vector<std::string> unfinished;  // leftovers of ended writers
  std::vector<std::string> links;       // links that are not followed
  std::vector<std::string> marked;      // documents that begin with a byte order mark
  std::uint64_t arrays = 0, groups = 0, chunks = 0;

  void add(std::string const& key, tessera::Error const& error) {
    failures.push_back({error.key().empty() ? key : error.key(), in_own_words(error.what())});
  }
};

// The problem of one key.
class Causes {
 public:
  static constexpr std::uint64_t most = 1000;  // failed inner chunks of a shard; the rest is not checked
  bool are_enough() const { return count_ >= most; }
  std::uint64_t count() const { return count_; }

  void add(tessera::Error const& error) {
    ++count_;
    auto const& inner = error.inner_chunk();
    auto cause = cause_of(error);
    auto const same =
        std::find_if(found_.begin(), found_.end(), [&](Failure const& one) { return one.cause == cause; });
    if (same == found_.end())
      return found_.push_back({error.key(), in_own_words(error.what()), std::move(cause), inner.empty() ? 0u : 1u}),
             void();
    ++same->inner_chunks;
    if (same->more.size() < most_named) same->more.push_back(inner);
  }

  std::vector<Failure> report() && {
    for (auto& one : found_) {
      if (one.inner_chunks > 1) {
        one.problem += "; " + std::to_string(one.inner_chunks - 1) + " more: ";
        for (auto const& inner : one.more) one.problem += (&inner == &one.more.front() ? "" : ", ") + inner;
        if (one.more.size() + 1 < one.inner_chunks) one.problem += ", ...";
      }
      if (are_enough()) one.problem += "; the rest of the shard is not looked at";
    }
    return std::move(found_);
  }

 private:
  static constexpr std::size_t most_named = 8;

  static std::string cause_of(tessera::Error const& error) {
    std::string text = error.what();
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
  }

  std::vector<Failure> found_;
  std::uint64_t count_ = 0;
};

constexpr std::uint64_t most_decoded = std::uint64_t{64} << 20;  // bytes of a shard's chunks at a time
constexpr std::uint64_t most_inner = std::uint64_t{1} << 16;     // inner chunks at a time, whatever their size
constexpr std::uint64_t most_indexes = std::uint64_t{64} << 20;  // bytes of cached indexes

// The minimum size of a shard; 0: unknown. Most indexes have a checksum besides.
std::uint64_t least_size(tessera::ArrayMetadata const& array) {
  if (array.codecs.size() != 1 || array.codecs.front().name != "sharding_indexed") return 0;
  tessera::ObjectReader configuration{array.codecs.front().configuration, "configuration"};
  auto grid = array.chunk_shape;
  for (std::size_t d = 0; d < array.edges.size(); ++d)  // the smallest shard
    for (auto const& run : array.edges[d].runs) grid[d] = std::min(grid[d], run.length);
  auto const inner = configuration.at("chunk_shape").extents(1);
  for (std::size_t d = 0; d < grid.rank(); ++d) grid[d] /= inner[d];
  return tessera::checked_product(tessera::element_count(grid, "the inner chunks"), 16, "the shard's index");
}

// Decodes the chunks of one array, many at a time.
class Decoder {
 public:
  Decoder(Array const& array, Space const& space, Findings& findings, std::atomic<std::uint64_t>& done)
      : array_{array},
        reader_{space.reader(array)},
        findings_{findings},
        done_{done},
        metadata_{array.metadata()},
        least_{least_size(metadata_)} {
    reader_->keep_shard_indexes(most_indexes);
  }

  /// `size`: that of its value; nullopt: ask the store for it, and whether there is one.
  void add(tessera::Extents const& place, std::optional<std::uint64_t> size) {
    chunks_.push_back({place, size});
    if (chunks_.size() == 1024) finish();
  }
  void finish() {
    auto on = array_.queue();
    on.for_each(chunks_.size(), [&](std::size_t i) {
      Causes causes;
      decode(chunks_[i], causes, on);
      auto found = std::move(causes).report();
      std::lock_guard lock{mutex_};
      findings_.chunks += causes.count();
      std::move(found.begin(), found.end(), std::back_inserter(findings_.failures));
    });
    done_ += chunks_.size();
    chunks_.clear();
  }

 private:
  struct Chunk {
    tessera::Extents place;
    std::optional<std::uint64_t> size;
  };

  // A shard is decoded in parts; after a failure, each inner chunk of the part alone.
  void decode(Chunk const& chunk, Causes& causes, Queue& on) {
    auto const size = size_of(chunk, causes, on);
    if (!size) return;
    if (*size < least_)  // before there is room for its index
      return causes.add(in_chunk(tessera::CodecError{tessera::to_text({"the shard's index: found a shard of ", *size,
                                                                       " bytes, expected at least ", least_})},
                                 chunk.place));
    auto const whole = region_of_chunk(metadata_, chunk.place);
    auto const& inner = array_.inner_chunk_shape();
    std::uint64_t passed = 0;
    bool is_over = false;
    each_box(whole.count, part_of(whole), [&](tessera::Region part) {
      if (is_over) return;
      move(part, whole.first);
      if ((passed += chunks_touched(part, inner)) > 4 * most_inner) {
        reader_->keep_shard_indexes(most_indexes);  // those of shards in this one are forgotten
        passed = 0;
      }
      auto error = problem_of(part, chunk.place);
      if (!error) return;
      is_over = error->inner_chunk().empty();  // the shard itself is damaged
      if (is_over || chunks_touched(part, inner) == 1) return causes.add(*error);
      each_box(part.count, inner, [&](tessera::Region one) {
        if (is_over) return;
        move(one, part.first);
        if (auto problem = problem_of(one, chunk.place)) causes.add(*problem);
        is_over = causes.are_enough();
      });
    });
  }

  // nullopt: there is no chunk, or it failed.
  std::optional<std::uint64_t> size_of(Chunk const& chunk, Causes& causes, Queue& on) const {
    if (chunk.size) return chunk.size;
    try {
      return tessera::value_size(array_.store(), tessera::Key{key_of(chunk.place)}, on);
    } catch (tessera::Error const& error) {
      causes.add(in_chunk(error, chunk.place));
      return std::nullopt;
    }
  }

  std::string key_of(tessera::Extents const& place) const {
    auto key = array_.path().empty() ? "" : array_.path() + '/';
    array_.metadata().key_encoding.append(key, place);
    return key;
  }

  static void move(tessera::Region& region, tessera::Extents const& by) {
    for (std::size_t d = 0; d < by.rank(); ++d) region.first[d] += by[d];
  }

  // Whole inner chunks, up to the limit for one decode.
  tessera::Extents part_of(tessera::Region const& whole) const {
    auto const& inner = array_.inner_chunk_shape();
    if (inner == array_.chunk_shape()) return whole.count;
    auto const each = size_in_bytes(inner, array_.type());
    auto const most = each > most_decoded / most_inner ? most_decoded : each * most_inner;
    BoxShape box{whole.count, inner, array_.type().size, most};
    for (auto d = inner.rank(); d-- > 0;) box.grow(d);
    return box.shape();
  }

  template <class E>
  E in_chunk(E error, tessera::Extents const& place) const {
    error.in_key(key_of(place)).in_store(array_.store().name());
    return error;
  }

  // Counts decoded chunks.
  std::optional<tessera::Error> problem_of(tessera::Region const& region, tessera::Extents const& place) {
    tessera::Traffic traffic;
    try {
      reader_->check(region, traffic);
      std::lock_guard lock{mutex_};
      findings_.chunks += traffic.chunks - traffic.missing;
      return std::nullopt;
    } catch (tessera::Error const& error) {
      return in_chunk(error, place);
    }
  }

  Array const& array_;
  std::unique_ptr<Reader> const reader_;
  Findings& findings_;
  std::atomic<std::uint64_t>& done_;
  tessera::ArrayMetadata const metadata_;
  std::uint64_t const least_;
  std::vector<Chunk> chunks_;
  std::mutex mutex_;
};

// The document tells the number of possible chunks. Small grids are probed one by one, which also finds entries that
// are not files; larger ones only if the store cannot be listed.
constexpr std::uint64_t few = 1000, most_walked = 1 << 20;

struct Survey {
  std::uint64_t chunks = 0;  // to be checked
  bool is_listed = true, is_walked = false;
};

// Calls f(place, size) for every present chunk, and stray(entry) for other entries. A link has no size.
template <class F, class Stray>
void each_stored(Store const& store, std::string const& path, tessera::ArrayMetadata const& array, F&& f,
                 Stray&& stray) {
  auto const grid = chunk_grid(array);
  auto const document = tessera::document_key(path, array.format).path;
  bool const has_attributes = array.format == tessera::ZarrFormat::v2;  // in a document of their own
  store.list(path, [&](tessera::Listed const& entry) {
    if (entry.path == document) return;
    if (has_attributes && entry.path == tessera::detail::v2_attributes_key(path).path) return;
    auto const below = entry.path.substr(path.empty() ? 0 : path.size() + 1);
    auto const place = chunk_of(below, array.key_encoding, grid);
    bool const is_link = entry.link != tessera::Link::none;
    place ? f(*place, is_link ? std::nullopt : std::optional{entry.size}) : stray(entry);
  });
}

Survey survey(Store const& store, std::string const& path, tessera::ArrayMetadata const& array, Findings& findings) {
  Survey result;
  result.is_listed = store.can_list();
  if (result.is_listed) try {
      each_stored(
          store, path, array, [&](auto const&, auto const&) { ++result.chunks; },
          [&](tessera::Listed const& entry) {
            if (entry.link != tessera::Link::to_keys) return findings.strays.emplace_back(entry.path), void();
            findings.links.emplace_back(entry.path);
            tessera::StoreError error{tessera::detail::links_are_refused};
            findings.add(findings.links.back(), error.in_key(entry.path).in_store(store.name()));
          });
    } catch (tessera::Error const& error) {
      findings.add(path, error);
      result.is_listed = false;
    }
  auto const chunks = tessera::count_or_most(chunk_grid(array));
  result.is_walked = chunks <= (result.is_listed ? few : most_walked);
  if (result.is_walked) result.chunks = chunks;
  if (!result.is_walked && !store.can_list()) {
    auto error = tessera::StoreError{
        tessera::to_text({"the store cannot be listed, and there may be too many chunks to ask for each: ", chunks})};
    findings.add(path, error.in_key(tessera::document_key(path, array.format).path).in_store(store.name()));
  }
  return result;
}

void check_array(Array const& array, Space const& space, Survey const& survey, Findings& findings,
                 std::atomic<std::uint64_t>& done) {
  Decoder decoder{array, space, findings, done};
  auto const grid = chunk_grid(array.metadata());
  if (survey.is_walked)
    each_box(grid, tessera::Extents::filled(grid.rank(), 1),
             [&](tessera::Region const& chunk) { decoder.add(chunk.first, std::nullopt); });
  else
    try {
      each_stored(
          array.store(), array.path(), array.metadata(),
          [&](tessera::Extents const& place, std::optional<std::uint64_t> size) { decoder.add(place, size); },
          [](tessera::Listed const&) {});
    } catch (tessera::Error const& error) {
      if (survey.is_listed) findings.add(array.path(), error);  // otherwise that is known
    }
  decoder.finish();
}

// Chunks below a group whose array can no longer be found.
void find_lost(Store const& store, Tree const& group, Findings& findings) {
  for (auto const& [path, lost] : lost_documents(store, group)) {
    tessera::MetadataError error{tessera::to_text({"the document is missing, but chunks are there: ", lost.chunks,
                                                   ", one of them ", tessera::describe(lost.example)})};
    auto const key = tessera::document_key(path).path;
    findings.add(key, error.in_key(key).in_store(store.name()));
  }
}

// Documents of Zarr v2 beside those of v3. Those of an array are found among its chunks.
void find_other_format(Store const& store, Tree const& group, Findings& findings) {
  if (group.format() == tessera::ZarrFormat::v2) return;
  tessera::Queue<tessera::space::Host> on;
  for (auto const type : {tessera::NodeType::array, tessera::NodeType::group})
    if (auto const key = tessera::document_key(group.path, tessera::ZarrFormat::v2, type); value_size(store, key, on))
      findings.strays.push_back(key.path);
}

// Problems of a node's documents that hide no element.
void check_documents(Store const& store, Tree const& node, Findings& findings) {
  auto const attributes = tessera::detail::v2_attributes_key(node.path);
  if (auto const broken = node.broken_attributes(); !broken.empty())
    findings.failures.push_back({attributes.path, in_own_words(broken)});
  for (auto const& key : {node.key(), attributes}) try {
      auto const text = tessera::detail::read_text(store, key);
      if (text && text->starts_with(tessera::detail::byte_order_mark)) findings.marked.push_back(key.path);
    } catch (tessera::Error const&) {  // reported for the node itself
    }
}

// Copies in consolidated metadata that other programs trust. Documents that cannot be read are not checked further.
void find_stale(Store const& store, Tree const& group, Findings& findings) {
  if (group.any_wrong()) return;
  for (auto const& [where, problem] : tessera::stale_copies(store, group.path)) {
    tessera::MetadataError error{problem};
    findings.add(where, error.in_key(where).in_store(store.name()));
  }
}

std::string counted(std::uint64_t n, std::string const& what) {
  return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

void print(Findings const& found, std::string const& store) {
  for (auto const& failure : found.failures) std::cout << "error: " << printable(failure.problem) << '\n';
  for (auto const& key : found.strays)
    std::cout << printable(
                     "warning: " + store + ": key \"" + key + "\": " +
                     (tessera::detail::is_document(key)
                          ? "a document of the other format, or of no node: of two nodes at one place, that of Zarr v3 "
                            "is read, and an array before a group"
                          : "no chunk of the array it is below"))
              << '\n';
  for (auto const& key : found.marked)
    std::cout << printable("warning: " + store + ": key \"" + key +
                           "\": begins with a byte order mark, which JSON does not have: some programs cannot read it")
              << '\n';
  for (auto const& key : found.unfinished)
    std::cout << printable("warning: " + store + ": key \"" + key + "\": left by a writer that ended; it may be erased")
              << '\n';
  for (auto const& one : found.unsupported)
    std::cout << printable("not checked: " + store + ": key \"" + one.key + "\": " + one.problem) << '\n';
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
    for (auto const& one : problems) {
      Members failure{{"key", valid_utf8(one.key)}, {"problem", valid_utf8(one.problem)}};
      if (one.inner_chunks > 0) failure.push_back({"inner_chunks", tessera::Number{std::to_string(one.inner_chunks)}});
      list.push_back(std::move(failure));
    }
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
                                        {"byte_order_marks", keys(found.marked)},
                                        {"unfinished", keys(found.unfinished)}})
            << '\n';
}

}  // namespace

Status run(Validate const& command) {
  Queue const on{command.threads};
  auto const space = space_named(command.space, on);
  auto const [store, path] = find_source(command.path, command);
  auto const tree = read_tree(store, path);
  Findings found;
  std::map<std::string, Survey> surveys;  // by path
  std::uint64_t total = 0;
  each_node(tree, [&, &store = store](Tree const& node) {
    auto const* array = std::get_if<tessera::ArrayMetadata>(&node.document);
    if (!array || node.wrong) return;
    total += (surveys[node.path] = survey(store, node.path, *array, found)).chunks;
  });
  {
    std::atomic<std::uint64_t> done{0};
    Progress const progress{"decoding", done, total};
    each_node(tree, [&, &store = store](Tree const& node) {
      auto const key = node.key().path;
      check_documents(store, node, found);
      if (!node.problem.empty() && !node.wrong) return found.unsupported.push_back({key, node.problem});
      found.groups += std::holds_alternative<tessera::GroupMetadata>(node.document);
      if (std::holds_alternative<tessera::GroupMetadata>(node.document)) find_other_format(store, node, found);
      found.arrays += std::holds_alternative<tessera::ArrayMetadata>(node.document);
      try {
        if (node.wrong)
          found.failures.push_back({key, in_own_words(node.problem)});
        else if (std::holds_alternative<tessera::ArrayMetadata>(node.document))
          check_array(open_array(store, node.path, on), *space, surveys[node.path], found, done);
        if (!store.can_list()) return;
        if (!std::holds_alternative<tessera::ArrayMetadata>(node.document)) find_lost(store, node, found);
        if (std::holds_alternative<tessera::GroupMetadata>(node.document)) find_stale(store, node, found);
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
  for (auto const& link : found.links)  // reported once, not for each chunk after it
    std::erase_if(found.failures, [&](Failure const& failure) { return failure.key.starts_with(link + '/'); });
  std::stable_sort(found.failures.begin(), found.failures.end(),
                   [](Failure const& a, Failure const& b) { return a.key < b.key; });
  std::sort(found.strays.begin(), found.strays.end());
  std::sort(found.marked.begin(), found.marked.end());
  (command.json ? print_json : print)(found, store.name());
  return found.failures.empty() ? done : wrong_data;
}

}  // namespace cli
