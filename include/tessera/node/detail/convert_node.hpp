// replace_documents: writes the documents of the other format, then erases those of the present one.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include <tessera/metadata/attributes.hpp>
#include <tessera/metadata/detail/consolidated.hpp>
#include <tessera/metadata/detail/new_documents.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/metadata/detail/other_format.hpp>
#include <tessera/node/detail/lock_nodes.hpp>
#include <tessera/store/detail/value_changed.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

struct ConvertedNode {
  std::string path;
  NodeType type;
  NewDocuments made;  ///< none: its documents have that format already
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
    if (value_size(documents, key, on)) documents.erase(key, on);
}

template <class D>
void make_v3_documents(D const& documents, std::string const& path) {
  bool is_done = false;
  while (!is_done)
    is_done = until_unchanged([&] {
      queue_of<D> on;
      auto const attributes = v2_attributes_key(path);
      [[maybe_unused]] auto const held = lock_of(documents, attributes);
      if (value_size(documents, document_key(path), on)) return true;
      if (!is_lockable(documents, attributes)) return false;
      for (auto const& [key, text] : converted_node(documents, path, ZarrFormat::v3).made)
        write_text(documents, key, text);
      return true;
    });
}
template <class D>
void erase_v2_documents(D const& documents, std::string const& path) {
  queue_of<D> on;
  if (!value_size(documents, document_key(path), on)) return;
  erase_documents(documents, {document_key(path, ZarrFormat::v2, NodeType::array),
                              document_key(path, ZarrFormat::v2, NodeType::group), v2_attributes_key(path)});
}

// `last`: erase `zarr.json`. A document that Zarr v2 cannot express by now stays in v3, and is an error.
template <class D>
void make_v2_documents(D const& documents, std::string const& path, bool last) {
  until_unchanged([&] {
    queue_of<D> on;
    [[maybe_unused]] auto const held = lock_of(documents, document_key(path));
    if (!value_size(documents, document_key(path), on)) return;
    auto const node = converted_node(documents, path, ZarrFormat::v2);
    auto const other = node.type == NodeType::array ? NodeType::group : NodeType::array;
    erase_documents(documents, {document_key(path, ZarrFormat::v2, other)});
    for (auto const& [key, text] : node.made)
      if (read_text(documents, key) != text) write_text(documents, key, text);
    if (last) documents.erase(document_key(path), on);
  });
}

template <class D>
void replace_documents(D const& documents, std::vector<ConvertedNode> const& nodes, ZarrFormat to) {
  auto const each_first_to_last = [&](auto&& change) {
    for (auto const& node : nodes) {
      auto const alone = &node == &nodes.front() ? FolderLock{} : lock_folder(documents, node.path, Sharing::alone);
      change(node);
    }
  };
  auto const each_last_to_first = [&](auto&& change) {
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
      auto const alone =
          &*node == &nodes.front() ? FolderLock{} : lock_folder(documents, node->path, Sharing::alone);
      change(*node);
    }
  };
  auto const drop_copies = [&](ConvertedNode const& node) {
    if (node.type == NodeType::group) drop_v2_copies(documents, node.path);
  };
  if (to == ZarrFormat::v3) {
    each_last_to_first([&](ConvertedNode const& node) { make_v3_documents(documents, node.path); });
    each_first_to_last(drop_copies);
    each_first_to_last([&](ConvertedNode const& node) { erase_v2_documents(documents, node.path); });
  } else {
    each_first_to_last(drop_copies);
    each_last_to_first([&](ConvertedNode const& node) { make_v2_documents(documents, node.path, false); });
    each_first_to_last([&](ConvertedNode const& node) { make_v2_documents(documents, node.path, true); });
  }
}

}}}  // namespace tessera::v0::detail
