// write_node: writes a new node's documents, and the groups above it.
#pragma once
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/metadata/detail/new_documents.hpp>
#include <tessera/node/detail/lock_nodes.hpp>
#include <tessera/store/detail/value_changed.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// Checks the names in a path ("Node names" in the core specification); also rejects document names of Zarr v2.
TESSERA_DECL void check_node_path(std::string_view path);

template <class S>
std::optional<std::string> node_type(S const& documents, std::string_view path) {
  return read_documents(documents, path, [](ObjectReader& reader) {
    return reader.at("node_type").one_of({"array", "group"});
  });
}

// Without the last document, which makes the node: it is written under its lock, and keys may share a lock.
template <class S>
void write_first_documents(S const& store, NewDocuments const& documents) {
  for (std::size_t i = 0; i + 1 < documents.size(); ++i) write_text(store, documents[i].key, documents[i].text);
}

// Every ancestor of a node must be a group: makes the missing ones, in that format. Returns whether it made any.
template <class S>
bool make_ancestors(S const& documents, std::string_view path, ZarrFormat format) {
  bool is_any_made = false;
  GroupMetadata group;
  group.format = format;
  for_each_ancestor(path, [&](std::string_view ancestor) {
    bool const is_made = until_unchanged([&] {
      auto const key = document_key(ancestor, format, NodeType::group);
      [[maybe_unused]] auto const held = lock_of(documents, key);
      auto const type = node_type(documents, ancestor);
      if (!type) return write_text(documents, key, new_documents(ancestor, group).back().text), true;
      if (*type != "group")
        throw MetadataError{to_text({"there is an array above \"", path, "\"; arrays have no children"})}
            .in_key(document_key(ancestor).path)
            .in_store(name_of(documents));
      return false;
    });
    is_any_made = is_any_made || is_made;
    if (!is_made) drop_consolidated(documents, ancestor, format);
  });
  return is_any_made;
}

// Makes the missing groups above a new node, and locks all nodes at `paths`. Repeats after making a group: its folder
// had no lock before.
template <class D>
std::vector<FolderLock> lock_new_node(D const& documents, std::string_view path, ZarrFormat format,
                                      std::initializer_list<std::string_view> paths) {
  for (;;) {
    auto locks = lock_nodes(documents, paths);
    if (!make_ancestors(documents, path, format) || !LocksFolders<D>) return locks;
  }
}

// A missing folder could not be locked, so another program may have made the node in the other format. The writer that
// finds the other's document erases its own. Returns whether this one did.
template <class D>
bool gives_way(D const& documents, std::string_view path, NewDocuments const& node, ZarrFormat format) {
  queue_of<D> on;
  auto const alone = lock_folder(documents, path, Sharing::alone);
  bool const is_other =
      format == ZarrFormat::v2
          ? value_size(documents, document_key(path), on).has_value()
          : value_size(documents, document_key(path, ZarrFormat::v2, NodeType::array), on).has_value() ||
                value_size(documents, document_key(path, ZarrFormat::v2, NodeType::group), on).has_value();
  if (is_other)
    for (auto i = node.size(); i-- > 0;) documents.erase(node[i].key, on);
  return is_other;
}

// Writes new documents at a path, and the groups above. Of several threads and processes that try, one makes the node.
// `make_room` erases keys that would become part of the new node.
template <class D>
void write_node(D const& documents, std::string_view path, NewDocuments const& node, ZarrFormat format, bool overwrite,
                FunctionRef<void()> make_room) {
  auto const expect = [](bool is_free) {
    if (!is_free) throw MetadataError{"there is a node already; .overwrite = true replaces it, erase_node erases it"};
  };
  auto const expect_none = [&] { expect(overwrite || !node_type(documents, path)); };
  expect_none();
  auto const locks = lock_new_node(documents, path, format, {path});
  until_unchanged([&] {
    expect_none();
    make_room();
    write_first_documents(documents, node);
    [[maybe_unused]] auto const held = lock_of(documents, node.back().key);
    expect_none();
    write_text(documents, node.back().key, node.back().text);
  });
  if constexpr (LocksFolders<D>)
    if (!overwrite && !locks.back()) expect(!gives_way(documents, path, node, format));
}

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/node/detail/write_node.ipp>
#endif
