// A hierarchy as its documents describe it. Uses only the store interface.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <tessera/metadata/detail/document.hpp>
#include <tessera/metadata/detail/missing_node.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/node/open.hpp>

#include "source.hpp"

namespace cli {

struct Tree {
  std::string path;
  /// monostate: broken, or an array with an unsupported part.
  std::variant<std::monostate, tessera::GroupMetadata, tessera::ArrayMetadata> document{};
  std::string problem{};  ///< why it cannot be read; otherwise empty
  bool wrong = false;     ///< the data is wrong; otherwise this program does not support the array
  std::vector<Tree> children{};

  /// Of its documents; v3 if one is broken.
  tessera::ZarrFormat format() const {
    if (auto const* array = std::get_if<tessera::ArrayMetadata>(&document)) return array->format;
    auto const* const group = std::get_if<tessera::GroupMetadata>(&document);
    return group ? group->format : tessera::ZarrFormat::v3;
  }
  /// The key of the document that makes it a node.
  tessera::Key key() const {
    bool const is_group = std::holds_alternative<tessera::GroupMetadata>(document);
    return tessera::document_key(path, format(), is_group ? tessera::NodeType::group : tessera::NodeType::array);
  }

  /// The problem of attributes of Zarr v2, which hides no element; empty: none.
  std::string broken_attributes() const {
    if (auto const* array = std::get_if<tessera::ArrayMetadata>(&document)) return array->broken_attributes;
    auto const* const group = std::get_if<tessera::GroupMetadata>(&document);
    return group ? group->broken_attributes : std::string{};
  }
  bool any_wrong() const {
    return wrong || !broken_attributes().empty() ||
           std::any_of(children.begin(), children.end(), [](Tree const& child) { return child.any_wrong(); });
  }
};

namespace detail {

// Names of the nodes one level below a group, in alphabetical order.
template <class Documents>
std::vector<std::string> folders_below(Documents const& store, std::string const& path) {
  std::vector<std::string> folders;
  store.list_directory(path, [&](tessera::Listed const& entry) {
    if (entry.is_prefix || entry.link == tessera::Link::to_keys) folders.emplace_back(entry.path);
  });
  std::sort(folders.begin(), folders.end());
  return folders;
}

inline void look_at(Store const& store, tessera::ArrayMetadata const& array, Tree const& tree) {
  try {  // as opened for reading
    expect_readable(store, tree.path, array);
  } catch (tessera::Error& error) {
    error.in_key(tree.key().path).in_store(store.name());
    throw;
  }
}

// The source of documents below a group: the store, if it can be listed, otherwise copies in the group.
inline tessera::detail::SharedCopies copies_below(Store const& store, std::string const& path) {
  if (store.can_list()) return nullptr;
  if (auto copies = tessera::open_group(store, path).consolidated()) return copies;
  auto error = tessera::StoreError{
      "what is below this group is not known: a web server has no listing, and the group has no consolidated metadata, "
      "which tessera consolidate makes where it is written"};
  throw error.in_key(tessera::document_key(path).path).in_store(store.name());
}

// nullopt: there is no node. `copies`: where documents are read; null: in the store.
inline std::optional<Tree> read_node(Store const& store, std::string const& path, std::size_t levels,
                                     tessera::detail::SharedCopies copies) {
  Tree tree{path};
  auto const read = [&](auto const& documents) {
    return tessera::detail::read_documents(documents, path,
                                           [](tessera::ObjectReader& reader) -> decltype(tree.document) {
                                             if (reader.at("node_type").one_of({"array", "group"}) == "group")
                                               return tessera::read_group_metadata(reader);
                                             return tessera::read_array_metadata(reader);
                                           });
  };
  try {
    auto document = copies ? read(*copies) : read(store);
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
    if (!store.can_list() && !copies) return tree;
  }
  if (levels == 0) return tree;
  try {  // a broken document may have been a group's: show its members
    if (!copies) copies = copies_below(store, path);
    auto const folders = copies ? folders_below(*copies, path) : folders_below(store, path);
    tree.children.reserve(folders.size());  // a node needs a KiB: a growing vector would hold three times that
    for (auto const& folder : folders)
      if (auto child = read_node(store, folder, levels - 1, copies)) tree.children.push_back(*std::move(child));
  } catch (tessera::Error const& error) {
    tree.problem = error.what();
    tree.wrong = true;
  }
  return tree;
}

}  // namespace detail

/// The node at `path` and `levels` of nodes below it. The tree names problems. Throws: tessera::MetadataError, if there
/// is no node.
inline Tree read_tree(Store const& store, std::string const& path, std::size_t levels = ~std::size_t{0}) {
  if (auto tree = detail::read_node(store, path, levels, nullptr)) return *std::move(tree);
  auto error = tessera::detail::missing_node(store, path, "array or group");
  throw error.in_key(tessera::document_key(path).path).in_store(store.name());
}

/// "[x 197, y 233]"
inline std::string shape_text(tessera::ArrayMetadata const& array) {
  std::string text;
  for (std::size_t d = 0; d < array.shape.rank(); ++d) {
    text += d == 0 ? "" : ", ";
    if (!array.dimension_names.empty() && array.dimension_names[d]) text += *array.dimension_names[d] + ' ';
    text += std::to_string(array.shape[d]);
  }
  return '[' + text + ']';
}

/// Calls f with every node, parents first.
template <class AnyTree, class F>
void each_node(AnyTree& tree, F&& f) {
  f(tree);
  for (auto& child : tree.children) each_node(child, f);
}

}  // namespace cli
