// Puts the documents of a new node into a store, below groups.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/value.hpp>
#include <tessera/metadata/new_documents.hpp>
#include <tessera/metadata/node_document.hpp>
#include <tessera/store/folder_lock.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/value_changed.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// Names of a node, as the core specification allows them ("Node names"), and not those of the documents of Zarr v2.
inline void check_node_path(std::string_view path) {
  if (path.empty()) return;
  check(Key{std::string{path}});
  for (auto rest = path;;) {
    auto const slash = rest.find('/');
    auto const name = rest.substr(0, slash);
    if (name.find_first_not_of('.') == name.npos || name.starts_with("__") || is_document(name))
      throw MetadataError{text({"not a node's name: ", describe(std::string{name})})}.in_key(path);
    if (slash == rest.npos) return;
    rest.remove_prefix(slash + 1);
  }
}

template <class S>
std::optional<std::string> node_type(S const& documents, std::string_view path) {
  return read_documents(documents, path, [](ObjectReader& reader) {
    return reader.at("node_type").one_of({"array", "group"});
  });
}

// The last one, which makes the node, is not among them: it is written under its lock, and keys may share a lock.
template <class S>
void write_first_documents(S const& store, NewDocuments const& documents) {
  for (std::size_t i = 0; i + 1 < documents.size(); ++i) write_text(store, documents[i].key, documents[i].text);
}

// Every ancestor of a node is a group: made, in that format, where there is nothing.
template <class S>
void make_ancestors(S const& documents, std::string_view path, ZarrFormat format) {
  GroupMetadata group;
  group.format = format;
  for_each_ancestor(path, [&](std::string_view ancestor) {
    bool const is_made = until_unchanged([&] {
      auto const key = document_key(ancestor, format, NodeType::group);
      [[maybe_unused]] auto const held = lock_of(documents, key);
      auto const type = node_type(documents, ancestor);
      if (!type) return write_text(documents, key, new_documents(ancestor, group).back().text), true;
      if (*type != "group")
        throw MetadataError{text({"there is an array above \"", path, "\"; arrays have no children"})}
            .in_key(document_key(ancestor).path)
            .in_store(name_of(documents));
      return false;
    });
    if (!is_made) drop_consolidated(documents, ancestor, format);
  });
}

// Puts new documents at a path whose groups above are made too. Of several threads and processes that want to, one
// makes the node. `make_room` erases what would be taken for the new node's.
template <class D, class MakeRoom>
void write_node(D const& documents, std::string_view path, NewDocuments const& node, ZarrFormat format, bool overwrite,
                MakeRoom&& make_room) {
  auto const expect_none = [&] {
    if (!overwrite && node_type(documents, path))
      throw MetadataError{
          "there is a node already; .overwrite = true makes the new one in its place, erase_node erases it"};
  };
  expect_none();
  make_ancestors(documents, path, format);
  auto const alone = lock_folder(documents, path, Sharing::alone);
  until_unchanged([&] {
    expect_none();
    make_room();
    write_first_documents(documents, node);
    [[maybe_unused]] auto const held = lock_of(documents, node.back().key);
    expect_none();
    write_text(documents, node.back().key, node.back().text);
  });
}

}  // namespace detail
}}  // namespace tessera::v0
