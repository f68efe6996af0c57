// Documents in a store, as JSON text: read_value, write_text, document_text.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/memory/queue.hpp>
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

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/text.ipp>
#endif
