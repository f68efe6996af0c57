// read_document, write_document: the document of a node (core specification, "Metadata").
#pragma once
#include <optional>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/text.hpp>
#include <tessera/metadata/detail/v2_documents.hpp>
#include <tessera/metadata/format.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// The contents of `zarr.json`, an object. Throws: MetadataError naming store and key.
template <class S>
std::optional<Value> read_v3_document(S const& store, Key const& key) {
  auto document = read_value(store, key);
  if (document) try {
      ObjectReader reader{*document, ""};
      if (auto const format = reader.at("zarr_format"); !is_format(format.value(), "3")) format.refuse("3");
    } catch (Error& error) {
      error.in_key(key.path).in_store(name_of(store));
      throw;
    }
  return document;
}

// The document of the node at `path`, in either format. `wanted` restricts only Zarr v2.
template <class S>
std::optional<FoundDocument> find_document(S const& store, std::string_view path, std::optional<NodeType> wanted) {
  auto key = document_key(path);
  auto document = read_v3_document(store, key);
  if (!document) return find_v2_document(store, path, wanted);
  return FoundDocument{*std::move(document), std::move(key)};
}

// Calls f with a document's members. Throws: the exceptions of f, naming store and key.
template <class S, class F>
auto read_found(S const& store, Value const& document, Key const& key, F&& f) {
  try {
    ObjectReader reader{document, ""};
    (void)reader.at("zarr_format");
    return f(reader);
  } catch (Error& error) {
    error.in_key(key.path).in_store(name_of(store));
    throw;
  }
}

// read_document for anything that find_document accepts.
template <class S, class F>
auto read_documents(S const& store, std::string_view path, F&& f, std::optional<NodeType> wanted = {})
    -> std::optional<decltype(f(std::declval<ObjectReader&>()))> {
  auto const found = find_document(store, path, wanted);
  if (!found) return std::nullopt;
  return read_found(store, found->value, found->key, f);
}

}  // namespace detail

/// Calls f(ObjectReader&) with the members of a node's document and returns its result. A Zarr v2 document has v3 form,
/// and its `zarr_format` is 2. `wanted`: look only for an array or a group of Zarr v2, which saves a lookup. nullopt:
/// no document. Throws: the exceptions of f and MetadataError, naming store and key.
template <class S, class F>
auto read_document(S const& store, std::string_view path, F&& f, std::optional<NodeType> wanted = {})
    -> std::optional<decltype(f(std::declval<ObjectReader&>()))> {
  if constexpr (!detail::check_metadata_store<S>())
    return std::nullopt;
  else
    return detail::read_documents(store, path, f, wanted);
}

/// Whether an unknown extension has `must_understand: false`.
TESSERA_DECL bool may_be_ignored(Value const& extension);

/// The unknown members with `must_understand: false`, which are kept when the document is rewritten. Throws:
/// MetadataError naming any other.
TESSERA_DECL Members tolerated(ObjectReader const& reader);

/// Writes the document of the node at `path`. Throws: MetadataError as document_text does; StoreError.
template <class S>
void write_document(S const& store, std::string_view path, Value const& document) {
  if constexpr (detail::check_metadata_store<S>())
    detail::write_text(store, document_key(path), document_text(document));
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/document.ipp>
#endif
