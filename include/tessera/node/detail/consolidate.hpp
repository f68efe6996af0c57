// write_true_copies, compare_copies: a group's consolidated metadata, written and compared with the documents.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/metadata/attributes.hpp>
#include <tessera/metadata/detail/consolidated.hpp>
#include <tessera/metadata/detail/consolidated_documents.hpp>
#include <tessera/metadata/detail/document.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/node/detail/lock_nodes.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/detail/value_changed.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

struct DocumentBelow {
  Key key;  ///< relative to the group
  Value document;
};
using DocumentsBelow = std::vector<DocumentBelow>;

// A copy contains no copies: the group's own copies include those of the groups below.
TESSERA_DECL void take_out_copies(Value& document);

// Adds the documents that define a node in that format. Returns whether the node has that format.
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

// Sorts as zarr-python does: by depth, then by name, ignoring case.
TESSERA_DECL void sort_by_depth(DocumentsBelow& documents);

// All documents of that format below a group, as the store has them now. Calls `other(node)` for nodes that have the
// other format only.
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

/// Copies in a group's consolidated metadata, by the names that the format gives them.
struct CopiesBelow {
  ZarrFormat format;
  Members copies;
  friend bool operator==(CopiesBelow const&, CopiesBelow const&) = default;
};

// Throws: MetadataError, if there is no group, or a node below is of the other format.
template <class S>
CopiesBelow copies_below(S const& store, std::string const& path) {
  auto const& documents = metadata_of(store);
  auto const group = open_group(store, path, {.consolidated = Consolidated::ignore});
  auto const format = group.metadata().format;
  CopiesBelow found{format, {}};
  auto const add = [&](DocumentsBelow&& list) {
    constexpr auto name = std::string_view{"/zarr.json"}.size();
    for (auto& [key, document] : list) {
      if (format == ZarrFormat::v3) key.path.resize(key.path.size() - name);
      found.copies.push_back({std::move(key.path), std::move(document)});
    }
  };
  if (format == ZarrFormat::v2) {
    DocumentsBelow own;
    add_documents(documents, path, "", NodeType::group, format, own);
    add(std::move(own));
  }
  add(documents_below(group, format, [&](Node const& node) {
    throw MetadataError{"the node is of the other format, which the group's consolidated metadata cannot contain"}
        .in_key(document_key(node.path, format, node.type).path)
        .in_store(name_of(documents));
  }));
  return found;
}

template <class D>
void write_copies(D const& documents, std::string const& path, CopiesBelow const& below) {
  if (below.format == ZarrFormat::v2)
    return write_text(
        documents, v2_copies_key(path),
        document_text(Members{{"metadata", below.copies}, {"zarr_consolidated_format", Value::integer(1)}}));
  Value const consolidated{Members{{"kind", "inline"}, {"must_understand", false}, {"metadata", below.copies}}};
  until_unchanged([&] {
    [[maybe_unused]] auto const held = lock_of(documents, document_key(path));
    auto document = read_v3_document(documents, document_key(path));
    if (!document) return;  // converted or erased meanwhile; reading the group again detects it
    auto members = std::move(*document->template get_if<Members>());
    set_member(members, "consolidated_metadata", consolidated);
    write_document(documents, path, std::move(members));
  });
}

// Repeats until the documents match the copies: a writer that changes a document before its copy is written finds no
// copy to remove.
template <class S>
void write_true_copies(S const& store, std::string const& path) {
  constexpr int enough = 1000;
  auto const& documents = metadata_of(store);
  auto written = copies_below(store, path);
  try {
    for (int tries = 0; tries < enough; ++tries) {
      write_copies(documents, path, written);
      auto now = copies_below(store, path);
      if (now == written) return;
      if (now.format != written.format) drop_consolidated(documents, path, ZarrFormat::v2);
      written = std::move(now);
    }
    throw StoreError{to_text({"documents below the group changed each time that they were copied, ", enough, " times"})}
        .in_key(document_key(path).path)
        .in_store(name_of(documents));
  } catch (...) {
    drop_consolidated(documents, path, ZarrFormat::v2);  // they may be stale
    throw;
  }
}

TESSERA_DECL bool is_true_copy(std::string_view key, Value copy, Value const& document);

// An empty `.zattrs` means the same as a missing one, so copies may omit it.
TESSERA_DECL bool says_nothing(std::string_view key, Value const& document);

// Calls `stale(problem)` for each copy that differs from its document.
template <class S, class F>
void compare_copies(Group<S> const& group, ZarrFormat format, ConsolidatedDocuments const& copies, F&& stale) {
  auto const& documents = metadata_of(group.store());
  auto below = documents_below(group, format, [](Node const&) {});
  if (format == ZarrFormat::v2) add_documents(documents, group.path(), "", NodeType::group, format, below);
  std::map<std::string, Value const*> found;
  for (auto const& [key, document] : below) found.emplace((group.path() / key.path).path, &document);
  auto const add = [&](std::string_view before, std::string const& key, std::string_view after) {
    stale(to_text({before, describe(key), after}));
  };
  for (auto const& [key, copy] : copies.all())
    if (auto const at = found.find(key); at == found.end() && !says_nothing(key, copy))
      add("there is a copy of ", key, ", which does not exist");
    else if (at != found.end() && !is_true_copy(key, copy, *at->second))
      add("the copy of ", key, " differs from that document");
  for (auto const& [key, document] : found)
    if (!copies.all().contains(key) && !says_nothing(key, *document)) add("there is no copy of ", key, "");
}

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/node/detail/consolidate.ipp>
#endif
