// A hierarchy as its documents tell it. Only the store interface is used.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/document.hpp>
#include <tessera/metadata/group_metadata.hpp>

#include "source.hpp"

namespace cli {

struct Tree {
  std::string path;
  /// monostate: broken, or an array with a part that is not supported.
  std::variant<std::monostate, tessera::GroupMetadata, tessera::ArrayMetadata> document{};
  std::string problem{};  ///< why it cannot be read; empty, if it can
  bool wrong = false;     ///< the problem is the data's; else it is an array that this program does not support
  std::vector<Tree> children{};

  /// Of its documents; of a broken one it is not known.
  tessera::ZarrFormat format() const {
    if (auto const* array = std::get_if<tessera::ArrayMetadata>(&document)) return array->format;
    auto const* const group = std::get_if<tessera::GroupMetadata>(&document);
    return group ? group->format : tessera::ZarrFormat::v3;
  }
  /// Where the document is that makes it a node.
  tessera::Key key() const {
    bool const is_group = std::holds_alternative<tessera::GroupMetadata>(document);
    return tessera::document_key(path, format(), is_group ? tessera::NodeType::group : tessera::NodeType::array);
  }

  bool any_wrong() const {
    return wrong || std::any_of(children.begin(), children.end(), [](Tree const& child) { return child.any_wrong(); });
  }
};

namespace detail {

// What the nodes one level below a group are called, in alphabetical order.
inline std::vector<std::string> folders_below(Store const& store, std::string const& path) {
  std::vector<std::string> folders;
  store.list_directory(path, [&](tessera::Listed const& entry) {
    if (entry.is_prefix || entry.link == tessera::Link::to_keys) folders.emplace_back(entry.path);
  });
  std::sort(folders.begin(), folders.end());
  return folders;
}

inline void look_at(Store const& store, tessera::ArrayMetadata const& array, Tree const& tree) {
  try {  // as open_any does
    (void)complete_codecs(array);
  } catch (tessera::Error& error) {
    error.in_key(tree.key().path).in_store(store.name());
    throw;
  }
}

// nullopt: there is no node.
inline std::optional<Tree> read_node(Store const& store, std::string const& path) {
  Tree tree{path};
  try {
    auto document = tessera::read_document(store, path, [](tessera::ObjectReader& reader) -> decltype(tree.document) {
      if (reader.at("node_type").one_of({"array", "group"}) == "group") return tessera::read_group_metadata(reader);
      return tessera::read_array_metadata(reader);
    });
    if (!document) return std::nullopt;
    tree.document = *std::move(document);
    if (auto const* array = std::get_if<tessera::ArrayMetadata>(&tree.document)) {
      look_at(store, *array, tree);
      return tree;
    }
  } catch (tessera::Error const& error) {
    auto const* document = dynamic_cast<tessera::MetadataError const*>(&error);
    if (document && !document->unsupported().empty()) {
      tree.problem = document->unsupported() + " is not supported";
      return tree;
    }
    tree.problem = error.what();
    tree.wrong = true;
    if (std::holds_alternative<tessera::ArrayMetadata>(tree.document)) return tree;
  }
  try {  // a broken document may have been a group's: show what is below it
    for (auto const& folder : folders_below(store, path))
      if (auto child = read_node(store, folder)) tree.children.push_back(*std::move(child));
  } catch (tessera::Error const& error) {
    tree.problem = error.what();
    tree.wrong = true;
  }
  return tree;
}

}  // namespace detail

/// The node at `path` and all below it. What is wrong is said in the tree. Throws: tessera::StoreError, if there is
/// none.
inline Tree read_tree(Store const& store, std::string const& path) {
  if (auto tree = detail::read_node(store, path)) return *std::move(tree);
  throw tessera::StoreError{"the document is gone"}.in_key(tessera::document_key(path).path).in_store(store.name());
}

/// Calls f with every node, parents first.
template <class AnyTree, class F>
void each_node(AnyTree& tree, F&& f) {
  f(tree);
  for (auto& child : tree.children) each_node(child, f);
}

}  // namespace cli
