// consolidate: writes a group's consolidated metadata, which is copies of all documents below it, into the group's own
// document or into `.zmetadata`. stale_copies: finds outdated ones.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include <tessera/metadata/detail/consolidated.hpp>
#include <tessera/metadata/detail/consolidated_documents.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/node/detail/consolidate.hpp>
#include <tessera/node/detail/lock_nodes.hpp>
#include <tessera/node/open.hpp>

namespace tessera { inline namespace v0 {

/// Writes the consolidated metadata of the group at `path` ("" is the root): copies of all documents below it. With
/// them, open_group and other programs need one request to open all nodes below. If a document changes during the call,
/// it is copied again. Throws: MetadataError, if there is no group, if a document below is damaged, or if a node below
/// has the other format only, which the copies cannot represent; StoreError, also if documents changed on each of 1000
/// tries. After an error the group has no copies.
template <class S>
void consolidate(S const& store, std::string const& path = "") {
  if constexpr (detail::check_documents<S>()) {
    auto const locks = detail::lock_nodes(metadata_of(store), {path});
    detail::write_true_copies(store, path);
  }
}

/// One error in consolidated metadata.
struct StaleCopy {
  std::string where;    ///< the key of the document that has the copy
  std::string problem;  ///< "the copy of \"a/zarr.json\" differs from that document"
};

/// The errors in the consolidated metadata of the group at `path`, in either format; empty, if there are none. Throws:
/// MetadataError, if there is no group, or a document below is damaged; StoreError.
template <class S>
std::vector<StaleCopy> stale_copies(S const& store, std::string const& path = "") {
  std::vector<StaleCopy> stale;
  if constexpr (detail::check_metadata_store<S>()) {
    auto const group = open_group(store, path, {.consolidated = Consolidated::ignore});
    auto const& documents = metadata_of(store);
    auto const check = [&](ZarrFormat format, Key const& where, detail::SharedCopies const& copies) {
      auto const add = [&](std::string problem) { stale.push_back({where.path, std::move(problem)}); };
      if (!copies)
        add("the consolidated metadata is of an unknown kind; it is ignored");
      else
        detail::compare_copies(group, format, *copies, add);
    };
    auto const key = document_key(path);
    if (auto document = detail::read_v3_document(documents, key); document && group.metadata().has_consolidated)
      check(ZarrFormat::v3, key, detail::take_v3_copies(name_of(documents), path, *document));
    if (auto document = detail::read_value(documents, detail::v2_copies_key(path)))
      check(ZarrFormat::v2, detail::v2_copies_key(path), detail::v2_copies(name_of(documents), path, *document));
  }
  return stale;
}

}}  // namespace tessera::v0
