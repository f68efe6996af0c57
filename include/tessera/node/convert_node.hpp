// convert_node: gives arrays and groups the documents of the other Zarr format, in place; chunks are not touched.
//
// Documents of both formats coexist until all new ones are written. The root's documents make the change, for programs
// that look for one format and for those that look for both:
//
//   to v3   1. write `zarr.json` of all nodes, the root last
//           2. erase `.zmetadata`, then `.zgroup`, `.zarray` and `.zattrs`
//   to v2   1. erase `.zmetadata`, which is stale
//           2. write `.zattrs`, `.zarray`, `.zgroup` of all nodes, the root last
//           3. erase `zarr.json`, the root first
//
// The root is locked throughout, each node while its documents are read, written or erased. Writers that change a node
// in between (append, set_attributes) use `zarr.json` if it exists. So a v3 document is written under the lock of the
// v2 attributes, and before `zarr.json` is erased, its content is copied to the v2 documents.
//
// An interruption leaves the hierarchy whole in one format or the other, and every node opens and reads as before.
#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <tessera/metadata/detail/consolidated.hpp>
#include <tessera/node/detail/convert_node.hpp>
#include <tessera/node/detail/lock_nodes.hpp>
#include <tessera/node/open.hpp>

namespace tessera { inline namespace v0 {

/// Converts the array or group at `path` ("" is the root), and everything below it, to the other format in place;
/// touches no chunk. A Zarr v3 array can be converted only if its chunks have the keys of v2 (chunk_key_encoding "v2")
/// and v2 can express its whole document; otherwise nothing is changed, and the error names the member. Attributes
/// stay, except those with which xarray marks missing values and names dimensions. These move to where xarray expects
/// them in the other format (`_FillValue` is the fill value of Zarr v2, `_ARRAY_DIMENSIONS` is `dimension_names` of
/// v3). If that is not possible, the array cannot be converted. Consolidated metadata of the node and of groups above
/// is removed, as are members unknown to v2. Returns how many nodes got new documents. An interrupted call leaves nodes
/// that open and read as before; another call finishes. Arrays may grow and attributes may change meanwhile: no change
/// is lost, if the store has locks. Throws: NodeNotFound; MetadataError, if a document is damaged, or an array cannot
/// be converted; StoreError.
template <class S>
std::size_t convert_node(S const& store, std::string const& path, ZarrFormat to) {
  std::size_t converted = 0;
  if constexpr (detail::check_documents<S>()) {
    auto const& documents = metadata_of(store);
    auto const locks = detail::lock_nodes(documents, {path});
    std::vector<detail::ConvertedNode> nodes;
    auto const add = [&](std::string const& at) {
      auto node = detail::converted_node(documents, at, to);
      converted += !node.made.empty();
      node.made.clear();  // made again later, under the node's lock
      nodes.push_back(std::move(node));
    };
    add(path);
    if (nodes.front().type == NodeType::group)
      open_group(store, path, {.consolidated = Consolidated::ignore}).walk([&](Node const& node) { add(node.path); });
    detail::drop_consolidated_above(documents, path, ZarrFormat::v2);
    detail::replace_documents(documents, nodes, to);
  }
  return converted;
}

}}  // namespace tessera::v0
