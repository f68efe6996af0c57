// read_document, write_document: the document of a node (core specification, "Metadata").
// find_v2_document: the documents of a Zarr v2 node, `.zarray` or `.zgroup`, and `.zattrs`.
// Documents in a store, as JSON text: read_value, write_text, document_text.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/metadata/detail/format.hpp>
#include <tessera/metadata/detail/v2_array.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Reads on a host queue: documents are in host memory, and a store in pinned or managed memory has a host store beside
/// it (SplitStore).
template <class S>
std::optional<std::string> read_text(S const& store, Key const& key) {
  Queue<space::Host> on;
  std::string document;
  auto destination = [&](std::size_t n) -> ByteSpan<space_of<S>> {
    if (n > bounds::document_bytes)
      throw MetadataError{to_text({"a document of ", n, " bytes; at most ", bounds::document_bytes, " are read"})};
    document.resize(n);
    return {reinterpret_cast<std::byte*>(document.data()), n};
  };
  Destination<space_of<S>> const reader{destination, {bounds::document_bytes}};
  if (!store.read(key, {}, reader, on)) return std::nullopt;
  return document;
}

/// The document at `key`; nullopt: missing. Throws: MetadataError, StoreError, naming store and key.
template <class S>
std::optional<Value> read_value(S const& store, Key const& key) try {
  auto const text = read_text(store, key);
  if (!text) return std::nullopt;
  return parse_json(*text);
} catch (Error& error) {
  error.in_key(key.path).in_store(name_of(store));
  throw;
}

template <class S>
void write_text(S const& store, Key const& key, std::string_view document) {
  Queue<space::Host> on;
  store.write(key, {reinterpret_cast<std::byte const*>(document.data()), document.size()}, on);
}

}  // namespace detail

/// A document as text. Throws: MetadataError, if it could not be read again: repeated names, an invalid number, too
/// many bytes.
TESSERA_DECL std::string document_text(Value const& document);

namespace detail {

/// A document in v3 form, and its key.
struct FoundDocument {
  Value value;
  Key key;
};

/// `.zattrs`, which may be missing: an object. If it is broken, the error instead, naming store and key: elements stay
/// readable. Throws: StoreError.
template <class S>
[[gnu::noinline, gnu::cold]] Value read_v2_attributes(S const& store, std::string_view path) {
  auto const key = v2_attributes_key(path);
  try {
    auto found = read_value(store, key);
    if (!found) return Members{};
    if (found->template get_if<Members>()) return *std::move(found);
    throw MetadataError{to_text({"found ", describe(*found), ", expected an object"})}.in_key(key.path).in_store(
        name_of(store));
  } catch (MetadataError const& broken) {
    return std::string{broken.what()};
  }
}

/// The Zarr v2 node of the wanted type, or of either; nullopt: none. Throws: MetadataError, StoreError, naming store
/// and key.
template <class S>
[[gnu::noinline, gnu::cold]] std::optional<FoundDocument> find_v2_document(S const& store, std::string_view path,
                                                                           std::optional<NodeType> wanted) {
  for (auto const type : {NodeType::array, NodeType::group}) {
    if (wanted.value_or(type) != type) continue;
    auto key = document_key(path, ZarrFormat::v2, type);
    auto const document = read_value(store, key);
    if (!document) continue;
    auto attributes = read_v2_attributes(store, path);
    try {
      auto const lower = type == NodeType::array ? lower_v2_array : lower_v2_group;
      return FoundDocument{lower(*document, std::move(attributes)), std::move(key)};
    } catch (Error& error) {
      error.in_key(key.path).in_store(name_of(store));
      throw;
    }
  }
  return std::nullopt;
}

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
