// Finds and reads the document of a node (core specification, "Metadata").
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/reader.hpp>
#include <tessera/metadata/format.hpp>
#include <tessera/metadata/text.hpp>
#include <tessera/metadata/v2_documents.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// What `zarr.json` says, an object. Throws: MetadataError naming store and key.
template <class S>
std::optional<Value> read_v3_document(S const& store, Key const& key) {
  auto document = read_value(store, key);
  if (document) try {
      ObjectReader reader{*document, ""};
      if (auto const format = reader.at("zarr_format"); format.value() != Value{Number{"3"}}) format.refuse("3");
    } catch (Error& error) {
      error.in_key(key.path).in_store(name_of(store));
      throw;
    }
  return document;
}

// The document of the node at `path`, in either format; of Zarr v2, if it is of that type.
template <class S>
std::optional<FoundDocument> find_document(S const& store, std::string_view path, std::optional<NodeType> wanted) {
  auto key = document_key(path);
  auto document = read_v3_document(store, key);
  if (!document) return find_v2_document(store, path, wanted);
  return FoundDocument{*std::move(document), std::move(key)};
}

// What f makes of a document's members. Throws: what f throws, naming store and key.
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

// As read_document, of anything that find_document takes.
template <class S, class F>
auto read_documents(S const& store, std::string_view path, F&& f, std::optional<NodeType> wanted = {})
    -> std::optional<decltype(f(std::declval<ObjectReader&>()))> {
  auto const found = find_document(store, path, wanted);
  if (!found) return std::nullopt;
  return read_found(store, found->value, found->key, f);
}

}  // namespace detail

/// Calls f(ObjectReader&) with the members of a node's document, and returns what f returns. A document of Zarr v2
/// comes as v3 says it, and its `zarr_format` is 2. `wanted`: only an array, or only a group; then no key is asked for
/// in vain. nullopt: there is no document. Throws: what f throws and MetadataError, naming store and key.
template <class S, class F>
auto read_document(S const& store, std::string_view path, F&& f, std::optional<NodeType> wanted = {})
    -> std::optional<decltype(f(std::declval<ObjectReader&>()))> {
  if constexpr (!detail::check_metadata_store<S>())
    return std::nullopt;
  else
    return detail::read_documents(store, path, f, wanted);
}

/// Whether an extension that this program does not know says `must_understand: false`.
inline bool may_be_ignored(Value const& extension) {
  if (auto* members = extension.get_if<Members>())
    for (auto const& member : *members)
      if (member.name == "must_understand" && member.value == Value{false}) return true;
  return false;
}

/// The members that the specification does not know but lets pass: those that say `must_understand: false`. They are
/// kept when the document is rewritten. Throws: MetadataError naming any other.
inline Members tolerated(ObjectReader const& reader) {
  Members kept;
  for (auto* member : reader.rest()) {
    if (!may_be_ignored(member->value)) throw MetadataError{text({"member ", member->name, " is unknown"})};
    kept.push_back(*member);
  }
  return kept;
}

/// Writes the document of the node at `path`. Throws: MetadataError as document_text does; StoreError.
template <class S>
void write_document(S const& store, std::string_view path, Value const& document) {
  if constexpr (detail::check_metadata_store<S>())
    detail::write_text(store, document_key(path), document_text(document));
}

}}  // namespace tessera::v0
