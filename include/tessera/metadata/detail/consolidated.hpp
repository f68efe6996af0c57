// drop_consolidated: removes consolidated metadata above a node that is about to change. Otherwise programs that trust
// the copies (metadata/detail/consolidated_documents.hpp) would read stale documents.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/metadata/detail/document.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/value_changed.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// Calls visit(path) for each group above a node: the root, and every prefix before a '/'.
template <class F>
void for_each_ancestor(std::string_view path, F&& visit) {
  auto end = path.empty() ? path.npos : 0;
  while (end != path.npos) {
    visit(path.substr(0, end));
    end = path.find('/', end + 1);
  }
}

// In Zarr v2, the copies are a separate document.
template <class S>
[[gnu::noinline, gnu::cold]] void drop_v2_copies(S const& documents, std::string_view path) {
  queue_of<S> on;
  auto const key = v2_copies_key(path);
  if (value_size(documents, key, on)) documents.erase(key, on);
}

// In Zarr v3, the copies are a member of the group's document, which other writers may change meanwhile.
template <class S>
[[gnu::noinline, gnu::cold]] void drop_v3_copies(S const& documents, std::string_view path) {
  until_unchanged([&] {
    [[maybe_unused]] auto const held = lock_of(documents, document_key(path));
    auto document = read_v3_document(documents, document_key(path));
    if (!document) return;
    if (std::erase_if(*document->template get_if<Members>(),
                      [](Member const& member) { return member.name == "consolidated_metadata"; }) > 0)
      write_document(documents, path, *document);
  });
}

// `changed`: the format of the changing document. A group of both formats has copies of both. Locks only if copies
// exist.
template <class S>
void drop_consolidated(S const& documents, std::string_view path, ZarrFormat changed) {
  auto const document = read_v3_document(documents, document_key(path));
  if (document && document->template get_if<Members>()->contains("consolidated_metadata"))
    drop_v3_copies(documents, path);
  if (!document || changed == ZarrFormat::v2) drop_v2_copies(documents, path);
}

template <class S>
void drop_consolidated_above(S const& documents, std::string_view path, ZarrFormat changed) {
  for_each_ancestor(path, [&](std::string_view above) { drop_consolidated(documents, above, changed); });
}

}  // namespace detail

/// The groups above the node at `path` with consolidated metadata, from the root down: they lose it when the node is
/// made, changed, moved or erased. Throws: MetadataError, if a document is damaged; StoreError.
template <class S>
std::vector<std::string> consolidated_above(S const& store, std::string const& path) {
  std::vector<std::string> groups;
  detail::for_each_ancestor(path, [&](std::string_view above) {
    auto const& documents = metadata_of(store);
    auto const document = detail::read_v3_document(documents, document_key(above));
    auto const* const copies = document ? document->template get_if<Members>()->find("consolidated_metadata") : nullptr;
    queue_of<std::remove_cvref_t<decltype(documents)>> on;
    if ((copies && !copies->is_null()) || value_size(documents, detail::v2_copies_key(above), on))
      groups.emplace_back(above);
  });
  return groups;
}

}}  // namespace tessera::v0
