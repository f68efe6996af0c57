// Attributes of arrays and groups: read, replace, change and merge, without access to chunks.
#pragma once
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/metadata/detail/node_document.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

TESSERA_DECL Members attributes_of(Members const& document);

template <class S>
consteval bool check_documents() {
  using Documents = std::remove_cvref_t<decltype(metadata_of(std::declval<S const&>()))>;
  if constexpr (!check_metadata_store<Documents>())
    return false;
  else
    return check_writable<Documents>();
}

}  // namespace detail

/// The current attributes of the array or group at `path`. Throws: NodeNotFound; MetadataError; StoreError.
template <class S>
Members get_attributes(S const& store, std::string const& path) {
  if constexpr (!detail::check_metadata_store<S>())
    return {};
  else
    return detail::in_document(
        store, path, [&] { return detail::attributes_of(detail::document_members(metadata_of(store), path)); });
}

/// Replaces the attributes of the array or group at `path` and nothing else of its document. Open handles keep those
/// they were opened with. Throws: NodeNotFound; MetadataError; StoreError.
template <class S>
void set_attributes(S const& store, std::string const& path, Members const& attributes) {
  if constexpr (detail::check_documents<S>())
    detail::change_document(store, path, "attributes",
                            [&](Members& document) { detail::set_member(document, "attributes", attributes); });
}

/// Changes the attributes by `change(Members&)`, which is called again if another writer changes them meanwhile.
/// Returns the result. Throws: as set_attributes; any exception of `change`, and then nothing is changed.
template <class S, class F>
Members change_attributes(S const& store, std::string const& path, F&& change) {
  Members all;
  if constexpr (detail::check_documents<S>())
    detail::change_document(store, path, "attributes", [&](Members& document) {
      all = detail::attributes_of(document);
      change(all);
      detail::set_member(document, "attributes", all);
    });
  return all;
}

/// Replaces or adds the named attributes, each as a whole; keeps all others, even if they change concurrently. Returns
/// all. Throws: as set_attributes.
template <class S>
Members merge_attributes(S const& store, std::string const& path, Members const& attributes) {
  return change_attributes(store, path, [&](Members& all) {
    for (auto const& attribute : attributes) detail::set_member(all, attribute.name, attribute.value);
  });
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/attributes.ipp>
#endif
