// Documents as text in a store: read, and written so that they can be read again.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/reader.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/metadata/to_json.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {
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

/// One document as it is. nullopt: there is none. Throws: MetadataError, StoreError, naming store and key.
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

}}  // namespace tessera::v0
