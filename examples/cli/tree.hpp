// A hierarchy as its documents and its keys tell it: what `info` shows. Only the store interface is used.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/document.hpp>
#include <tessera/metadata/group_metadata.hpp>
#include <tessera/with/all.hpp>

#include "node.hpp"

namespace cli {

/// What of an array is in the store.
struct Stored {
  std::uint64_t chunks = 0;        ///< how many there can be
  std::uint64_t stored = 0;        ///< how many there are
  std::uint64_t bytes = 0;         ///< of all elements, uncompressed
  std::uint64_t stored_bytes = 0;  ///< of everything below the array but its document
};

struct Tree {
  std::string path;
  std::variant<std::monostate, tessera::GroupMetadata, tessera::ArrayMetadata> document{};  ///< monostate: broken
  Stored stored{};
  std::string problem{};  ///< why it cannot be read; empty, if it can
  bool wrong = false;     ///< the problem is the data's, not this program's
  std::vector<Tree> children{};

  bool any_wrong() const {
    return wrong || std::any_of(children.begin(), children.end(), [](Tree const& child) { return child.any_wrong(); });
  }
};

namespace detail {

template <class... Cs>
bool knows(tessera::Codecs<Cs...>, std::string_view name) {
  return ((Cs::name == name) || ...);
}

inline tessera::Extents chunk_grid(tessera::ArrayMetadata const& array) {
  tessera::Extents grid;
  for (std::size_t d = 0; d < array.shape.rank(); ++d)
    grid.push_back(array.shape[d] / array.chunk_shape[d] + (array.shape[d] % array.chunk_shape[d] != 0));
  return grid;
}

// Whether a key below an array is that of a chunk: the numbers in it, written as a chunk's, make the same key.
inline bool is_chunk(std::string_view key, tessera::ChunkKeyEncoding encoding, tessera::Extents const& grid) {
  tessera::Extents chunk;
  auto const* end = key.data() + key.size();
  for (auto const* at = key.data(); at != end;) {
    std::uint64_t number = 0;
    auto const [stop, error] = std::from_chars(at, end, number);
    if (error == std::errc::invalid_argument) {
      ++at;
      continue;
    }
    if (error != std::errc{}) return false;
    at = stop;
    if (encoding.v2 && grid.rank() == 0) continue;  // its only key is "0"
    if (chunk.rank() == grid.rank() || number >= grid[chunk.rank()]) return false;
    chunk.push_back(number);
  }
  std::string expected;
  encoding.append(expected, chunk);
  return chunk.rank() == grid.rank() && key == expected;
}

inline Stored stored_below(Store const& store, std::string const& path, tessera::ArrayMetadata const& array) {
  auto const grid = chunk_grid(array);
  Stored result{tessera::element_count(grid, "the number of chunks"), 0,
                tessera::element_count(array.shape, "shape") * array.type.size, 0};
  auto const document = tessera::document_key(path).path;
  auto const prefix = path.empty() ? 0 : path.size() + 1;
  store.list(path, [&](tessera::Listed const& entry) {
    if (entry.path == document) return;
    result.stored_bytes += entry.size;
    result.stored += is_chunk(entry.path.substr(prefix), array.key_encoding, grid);
  });
  return result;
}

// What the nodes one level below a group are called, in alphabetical order.
inline std::vector<std::string> folders_below(Store const& store, std::string const& path) {
  std::vector<std::string> folders;
  store.list_directory(path, [&](tessera::Listed const& entry) {
    if (entry.is_prefix) folders.emplace_back(entry.path);
  });
  std::sort(folders.begin(), folders.end());
  return folders;
}

inline void look_at(Store const& store, tessera::ArrayMetadata const& array, Tree& tree) {
  tree.stored = stored_below(store, tree.path, array);
  for (auto const& codec : array.codecs)
    if (!knows(tessera::AllCodecs{}, codec.name)) {
      tree.problem = "codec " + tessera::describe(codec.name) + " is not known";
      return;
    }
  try {  // as open_any does
    using tessera::space::Host;
    using Pipeline = tessera::AnyPipeline<Host, Host, tessera::AllCodecs>;
    (void)Pipeline::from(array.codecs).resolve({array.chunk_shape, array.type});
  } catch (tessera::Error& error) {
    error.in_key(tessera::document_key(tree.path).path).in_store(store.name());
    throw;
  }
}

}  // namespace detail

/// The node at `path` and all below it; nullopt: there is none. What is wrong is said in the tree.
inline std::optional<Tree> read_tree(Store const& store, std::string const& path) {
  Tree tree{path};
  try {
    auto document = tessera::read_document(store, path, [](tessera::Reader& reader) -> decltype(tree.document) {
      if (reader.at("node_type").one_of({"array", "group"}) == "group") return tessera::read_group_metadata(reader);
      return tessera::read_array_metadata(reader);
    });
    if (!document) return std::nullopt;
    tree.document = *std::move(document);
    if (auto const* array = std::get_if<tessera::ArrayMetadata>(&tree.document)) {
      detail::look_at(store, *array, tree);
      return tree;
    }
  } catch (tessera::Error const& error) {
    tree.problem = error.what();
    tree.wrong = true;
    if (std::holds_alternative<tessera::ArrayMetadata>(tree.document)) return tree;
  }
  try {  // a broken document may have been a group's: show what is below it
    for (auto const& folder : detail::folders_below(store, path))
      if (auto child = read_tree(store, folder)) tree.children.push_back(*std::move(child));
  } catch (tessera::Error const& error) {
    tree.problem = error.what();
    tree.wrong = true;
  }
  return tree;
}

}  // namespace cli
