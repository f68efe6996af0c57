// Writes a group's consolidated metadata: copies of all documents below it, in its own document, or in `.zmetadata`.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/metadata/attributes.hpp>
#include <tessera/metadata/document.hpp>
#include <tessera/metadata/node_document.hpp>
#include <tessera/node/open_group.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct DocumentBelow {
  Key key;  ///< from the group on
  Value document;
};
using DocumentsBelow = std::vector<DocumentBelow>;

// A copy has no copies in it: those of the groups below are among its own.
inline void take_out_copies(Value& document) {
  if (auto* const members = document.get_if<Members>())
    std::erase_if(*members, [](Member const& member) { return member.name == "consolidated_metadata"; });
}

// The documents that make a node what it is in that format. Returns whether it is of that format.
template <class D>
bool add_documents(D const& documents, std::string_view path, std::string_view below, NodeType type, ZarrFormat format,
                   DocumentsBelow& found) {
  auto const add = [&](Key const& key, Key const& at) {
    auto document = format == ZarrFormat::v3 ? read_v3_document(documents, key) : read_value(documents, key);
    if (!document) return false;
    take_out_copies(*document);
    found.push_back({at, *std::move(document)});
    return true;
  };
  bool const is_there = add(document_key(path, format, type), document_key(below, format, type));
  if (is_there && format == ZarrFormat::v2) add(v2_attributes_key(path), v2_attributes_key(below));
  return is_there;
}

// In the order in which zarr-python writes them: by depth, and then by name without regard to case.
inline void sort_by_depth(DocumentsBelow& documents) {
  auto const order = [](DocumentBelow const& one) {
    auto name = one.key.path;
    for (auto& c : name) c = 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return std::pair{std::count(name.begin(), name.end(), '/'), std::move(name)};
  };
  std::stable_sort(documents.begin(), documents.end(),
                   [&](DocumentBelow const& a, DocumentBelow const& b) { return order(a) < order(b); });
}

// All documents of that format below a group, as the store has them now. `other(node)` is called for nodes of the other
// format only.
template <class S, class F>
DocumentsBelow documents_below(Group<S> const& group, ZarrFormat format, F&& other) {
  DocumentsBelow found;
  group.walk([&](Node const& node) {
    auto const below = std::string_view{node.path}.substr(group.path().empty() ? 0 : group.path().size() + 1);
    if (!add_documents(metadata_of(group.store()), node.path, below, node.type, format, found)) other(node);
  });
  sort_by_depth(found);
  return found;
}

template <class S>
void write_v3_copies(S const& store, std::string const& path, DocumentsBelow below) {
  Members copies;
  for (auto& [key, document] : below) {
    constexpr auto name = std::string_view{"/zarr.json"}.size();
    copies.push_back({key.path.substr(0, key.path.size() - name), std::move(document)});
  }
  auto const& documents = metadata_of(store);
  Value const consolidated{Members{{"kind", "inline"}, {"must_understand", false}, {"metadata", std::move(copies)}}};
  until_unchanged([&] {
    [[maybe_unused]] auto const held = lock_of(documents, document_key(path));
    auto document = document_members(documents, path);
    set_member(document, "consolidated_metadata", consolidated);
    write_document(documents, path, std::move(document));
  });
}

template <class S>
void write_v2_copies(S const& store, std::string const& path, DocumentsBelow below) {
  auto const& documents = metadata_of(store);
  DocumentsBelow own;
  add_documents(documents, path, "", NodeType::group, ZarrFormat::v2, own);
  Members copies;
  for (auto* list : {&own, &below})
    for (auto& [key, document] : *list) copies.push_back({key.path, std::move(document)});
  write_text(documents, v2_copies_key(path),
             document_text(Members{{"metadata", std::move(copies)}, {"zarr_consolidated_format", Value::integer(1)}}));
}

}  // namespace detail

/// Writes the consolidated metadata of the group at `path` ("" is the root): copies of all documents below it, with
/// which open_group and other programs open everything below by one request. Nobody else may change a node below
/// meanwhile: the copy of it may be the old one then, which stale_copies finds. Throws: MetadataError, if there is no
/// group, if a document below is damaged, or if a node below is of the other format only, which the copies cannot have;
/// StoreError.
template <class S>
void consolidate(S const& store, std::string const& path = "") {
  if constexpr (detail::check_documents<S>()) {
    auto const group = open_group(store, path, {.consolidated = Consolidated::ignore});
    auto const format = group.metadata().format;
    auto below = detail::documents_below(group, format, [&](Node const& node) {
      throw MetadataError{"the node is of the other format, which the group's consolidated metadata cannot have"}
          .in_key(document_key(node.path, format, node.type).path)
          .in_store(name_of(metadata_of(store)));
    });
    if (format == ZarrFormat::v3)
      detail::write_v3_copies(store, path, std::move(below));
    else
      detail::write_v2_copies(store, path, std::move(below));
  }
}

}}  // namespace tessera::v0
