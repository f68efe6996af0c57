// The attributes of arrays and groups: read, replaced and merged in their documents. No chunk is touched.
#pragma once
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/reader.hpp>
#include <tessera/core/value.hpp>
#include <tessera/metadata/node_document.hpp>
#include <tessera/metadata/node_members.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

inline Members attributes_of(Members const& document) {
  Value const value{document};
  ObjectReader reader{value, ""};
  return read_attributes(reader);
}

template <class S>
consteval bool check_documents() {
  using Documents = std::remove_cvref_t<decltype(metadata_of(std::declval<S const&>()))>;
  if constexpr (!check_metadata_store<Documents>())
    return false;
  else
    return check_writable<Documents>();
}

}  // namespace detail

/// The attributes of the array or group at `path`, as the store has them now. Throws: MetadataError, if there is no
/// document; StoreError.
template <class S>
Members get_attributes(S const& store, std::string const& path) {
  if constexpr (!detail::check_metadata_store<S>())
    return {};
  else
    return detail::in_document(
        store, path, [&] { return detail::attributes_of(detail::document_members(metadata_of(store), path)); });
}

/// Replaces the attributes of the array or group at `path`; the rest of its document stays as it is. Handles opened
/// before show what they were opened with. Throws: MetadataError, if there is no document; StoreError.
template <class S>
void set_attributes(S const& store, std::string const& path, Members const& attributes) {
  if constexpr (detail::check_documents<S>())
    detail::change_document(store, path, "attributes",
                            [&](Members& document) { detail::set_member(document, "attributes", attributes); });
}

/// Changes the attributes by `change(Members&)`. If somebody else changes them meanwhile, it is called again with the
/// new ones. Returns what they are now. Throws: as set_attributes; what `change` throws, and then nothing is changed.
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

/// Replaces or adds the named attributes, each as a whole; the others stay, whoever else changes them meanwhile.
/// Returns all of them. Throws: as set_attributes.
template <class S>
Members merge_attributes(S const& store, std::string const& path, Members const& attributes) {
  return change_attributes(store, path, [&](Members& all) {
    for (auto const& attribute : attributes) detail::set_member(all, attribute.name, attribute.value);
  });
}

}}  // namespace tessera::v0
