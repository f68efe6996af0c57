// stale_copies: finds outdated copies in a group's consolidated metadata.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/metadata/consolidated_documents.hpp>
#include <tessera/node/consolidate.hpp>

namespace tessera { inline namespace v0 {

/// One error in consolidated metadata.
struct StaleCopy {
  std::string where;    ///< the key of the document that has the copy
  std::string problem;  ///< "the copy of \"a/zarr.json\" differs from that document"
};

namespace detail {

TESSERA_DECL bool is_true_copy(std::string_view key, Value copy, Value const& document);

// An empty `.zattrs` means the same as a missing one, so copies may omit it.
TESSERA_DECL bool says_nothing(std::string_view key, Value const& document);

template <class S>
void compare_copies(Group<S> const& group, ZarrFormat format, Key const& where, ConsolidatedDocuments const& copies,
                    std::vector<StaleCopy>& stale) {
  auto const& documents = metadata_of(group.store());
  auto below = documents_below(group, format, [](Node const&) {});
  if (format == ZarrFormat::v2) add_documents(documents, group.path(), "", NodeType::group, format, below);
  std::map<std::string, Value const*> found;
  for (auto const& [key, document] : below) found.emplace((group.path() / key.path).path, &document);
  auto const add = [&](std::string_view before, std::string const& key, std::string_view after) {
    stale.push_back({where.path, to_text({before, describe(key), after})});
  };
  for (auto const& [key, copy] : copies.all())
    if (auto const at = found.find(key); at == found.end() && !says_nothing(key, copy))
      add("there is a copy of ", key, ", which does not exist");
    else if (at != found.end() && !is_true_copy(key, copy, *at->second))
      add("the copy of ", key, " differs from that document");
  for (auto const& [key, document] : found)
    if (!copies.all().contains(key) && !says_nothing(key, *document)) add("there is no copy of ", key, "");
}

}  // namespace detail

/// The errors in the consolidated metadata of the group at `path`, in either format; empty, if there are none. Throws:
/// MetadataError, if there is no group, or a document below is damaged; StoreError.
template <class S>
std::vector<StaleCopy> stale_copies(S const& store, std::string const& path = "") {
  std::vector<StaleCopy> stale;
  if constexpr (detail::check_metadata_store<S>()) {
    auto const group = open_group(store, path, {.consolidated = Consolidated::ignore});
    auto const& documents = metadata_of(store);
    auto const check = [&](ZarrFormat format, Key const& where, detail::SharedCopies const& copies) {
      if (!copies)
        stale.push_back({where.path, "the consolidated metadata is of an unknown kind; it is ignored"});
      else
        detail::compare_copies(group, format, where, *copies, stale);
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

#if !defined(TESSERA_SEPARATE)
#include <tessera/node/detail/stale_copies.ipp>
#endif
