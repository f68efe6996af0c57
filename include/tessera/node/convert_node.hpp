// Gives arrays and groups the documents of the other format of Zarr, in place: no chunk is touched.
//
// Documents of both formats stand side by side until all of the new ones are there. The root's make the change, for
// programs that look for one format and for those that look for both:
//
//   to v3   1. `zarr.json` of all nodes, the root's last    2. `.zmetadata` go, then `.zgroup`, `.zarray` and `.zattrs`
//   to v2   1. `.zmetadata` go, which were stale    2. `.zattrs`, `.zarray`, `.zgroup` of all nodes, the root's last
//           3. `zarr.json` go, the root's first
//
// Wherever this ends, the hierarchy is whole in the old format or in the new one, and every node opens and reads as it
// did. Another call does the rest.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/metadata/attributes.hpp>
#include <tessera/metadata/consolidated.hpp>
#include <tessera/metadata/other_format.hpp>
#include <tessera/node/open_group.hpp>
#include <tessera/store/folder_lock.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct ConvertedNode {
  std::string path;
  NodeType type;
  NewDocuments made;  ///< none: its documents are those of the format already
};

template <class D>
ConvertedNode converted_node(D const& documents, std::string const& path, ZarrFormat to) {
  auto found = read_document(documents, path, [&](ObjectReader& reader) {
    auto const made = [&](auto const& metadata) {
      auto const is_done = metadata.format == to;
      return is_done ? NewDocuments{} : new_documents(path, stored_as(metadata, to));
    };
    bool const is_array = reader.at("node_type").one_of({"array", "group"}) == "array";
    return is_array ? ConvertedNode{path, NodeType::array, made(read_array_metadata(reader))}
                    : ConvertedNode{path, NodeType::group, made(read_group_metadata(reader))};
  });
  if (!found) throw missing_node(documents, path, "node").in_key(document_key(path).path).in_store(name_of(documents));
  return *std::move(found);
}

template <class D>
void erase_documents(D const& documents, std::vector<Key> const& keys) {
  queue_of<D> on;
  for (auto const& key : keys)
    if (size(documents, key, on)) documents.erase(key, on);
}

inline std::vector<Key> documents_of(ConvertedNode const& node, ZarrFormat format) {
  if (format == ZarrFormat::v3) return {document_key(node.path)};
  return {document_key(node.path, format, NodeType::array), document_key(node.path, format, NodeType::group),
          v2_attributes_key(node.path)};
}

template <class D>
void replace_documents(D const& documents, std::vector<ConvertedNode> const& nodes, ZarrFormat to) {
  auto const drop_copies = [&] {
    for (auto const& node : nodes)
      if (node.type == NodeType::group) erase_documents(documents, {v2_copies_key(node.path)});
  };
  if (to == ZarrFormat::v2) drop_copies();
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    auto const other = node->type == NodeType::array ? NodeType::group : NodeType::array;
    if (to == ZarrFormat::v2 && !node->made.empty()) erase_documents(documents, {document_key(node->path, to, other)});
    for (auto const& [key, text] : node->made) write_text(documents, key, text);
  }
  if (to == ZarrFormat::v3) drop_copies();
  auto const from = to == ZarrFormat::v3 ? ZarrFormat::v2 : ZarrFormat::v3;
  for (auto const& node : nodes) erase_documents(documents, documents_of(node, from));
}

}  // namespace detail

/// Converts the array or group at `path` ("" is the root), and everything below it, to the other format in place: it
/// writes documents and touches no chunk. An array of Zarr v3 can be converted only if its chunks have the keys that v2
/// gives them (chunk_key_encoding "v2") and v2 has words for all that its document says; otherwise nothing is changed,
/// and the error names the member. Attributes stay. Consolidated metadata of the node and of groups above goes, as do
/// members that v2 does not know. Returns how many nodes got other documents. A program that ends half-way leaves nodes
/// that open and read as before; another call does the rest. Nobody else may change a node below meanwhile. Throws:
/// MetadataError, if there is no node, a document is damaged, or an array cannot be converted; StoreError.
template <class S>
std::size_t convert_node(S const& store, std::string const& path, ZarrFormat to) {
  std::size_t converted = 0;
  if constexpr (detail::check_documents<S>()) {
    auto const& documents = metadata_of(store);
    auto const alone = detail::lock_folder(documents, path, Sharing::alone);
    std::vector<detail::ConvertedNode> nodes{detail::converted_node(documents, path, to)};
    if (nodes.front().type == NodeType::group)
      open_group(store, path, {.consolidated = Consolidated::ignore}).walk([&](Node const& node) {
        nodes.push_back(detail::converted_node(documents, node.path, to));
      });
    for (auto const& node : nodes) converted += !node.made.empty();
    detail::drop_consolidated_above(documents, path, ZarrFormat::v2);
    detail::replace_documents(documents, nodes, to);
  }
  return converted;
}

}}  // namespace tessera::v0
