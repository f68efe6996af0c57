// Finds and reads the document of a node (core specification, "Metadata").
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/reader.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/metadata/to_json.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {

/// Where the document of the node at `path` is: "t1/zarr.json"; the root's path is empty.
inline Key document_key(std::string_view path) { return path / "zarr.json"; }

namespace detail {

inline constexpr std::size_t max_document_size = std::size_t{64} << 20;

/// The queue that metadata is read on. Documents are host bytes: a store in pinned or managed memory is read through a
/// host store beside it (SplitStore).
template <class S>
std::optional<std::string> read_text(S const& store, Key const& key) {
  Queue<space::Host> on;
  std::string document;
  auto destination = [&](std::size_t n) -> ByteSpan<space_of<S>> {
    if (n > max_document_size)
      throw MetadataError{text({"a document of ", n, " bytes; at most ", max_document_size, " are read"})};
    document.resize(n);
    return {reinterpret_cast<std::byte*>(document.data()), n};
  };
  if (!store.read(key, {}, destination, on)) return std::nullopt;
  return document;
}

}  // namespace detail

/// Calls f(ObjectReader&) with the members of a node's document, and returns what f returns. nullopt: there is no
/// document. Throws: what f throws and MetadataError, naming store and key.
template <class S, class F>
auto read_document(S const& store, std::string_view path, F&& f)
    -> std::optional<decltype(f(std::declval<ObjectReader&>()))> {
  if constexpr (!detail::check_metadata_store<S>()) {
    return std::nullopt;
  } else {
    auto const key = document_key(path);
    try {
      auto const text = detail::read_text(store, key);
      if (!text) return std::nullopt;
      auto const document = parse_json(*text);
      ObjectReader reader{document, ""};
      if (auto const format = reader.at("zarr_format"); format.value() != Value{Number{"3"}}) format.refuse("3");
      return f(reader);
    } catch (Error& error) {
      error.in_key(key.path).in_store(name_of(store));
      throw;
    }
  }
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

/// A document as text. Throws: MetadataError, if it could not be read again, because a name is there twice or a number
/// is not a number.
inline std::string document_text(Value const& document) {
  auto json = to_json(document);
  if (json.size() > detail::max_document_size)
    throw MetadataError{
        text({"a document of ", json.size(), " bytes; at most ", detail::max_document_size, " are read"})};
  (void)parse_json(json);
  return json;
}

namespace detail {

template <class S>
void write_text(S const& store, Key const& key, std::string_view document) {
  Queue<space::Host> on;
  store.write(key, {reinterpret_cast<std::byte const*>(document.data()), document.size()}, on);
}

}  // namespace detail

/// Writes the document of the node at `path`. Throws: MetadataError as document_text does; StoreError.
template <class S>
void write_document(S const& store, std::string_view path, Value const& document) {
  if constexpr (detail::check_metadata_store<S>())
    detail::write_text(store, document_key(path), document_text(document));
}

}}  // namespace tessera::v0
