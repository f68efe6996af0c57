// Changes the document of a node that is there: under its lock, with all that this program does not know of it kept.
#pragma once
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/value.hpp>
#include <tessera/metadata/consolidated.hpp>
#include <tessera/metadata/document.hpp>
#include <tessera/metadata/missing_node.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/value_changed.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// In a handler: throws again what it caught. Apart, and not a part of each call: it is as much code as what it is said
// of.
template <class S>
[[noreturn, gnu::noinline, gnu::cold]] void throw_in_document(S const& store, std::string const& path) {
  auto const name = [&](Error& error) { error.in_key(document_key(path).path).in_store(name_of(metadata_of(store))); };
  try {
    throw;
  } catch (MetadataError& error) {
    name(error);
    throw;
  } catch (SelectionError& error) {
    name(error);
    throw;
  }
}

// Runs f; its errors are of the document at `path`, those of selections too.
template <class S, class F>
auto in_document(S const& store, std::string const& path, F&& f) {
  try {
    return f();
  } catch (...) {
    throw_in_document(store, path);
  }
}

// What a document says. Throws: MetadataError, if there is none.
template <class D>
Members document_members(D const& documents, std::string const& path) {
  auto document = read_document(documents, path, [](ObjectReader& reader) { return reader.value(); });
  if (!document) throw missing_node(documents, path, "node");
  return std::move(*document->template get_if<Members>());
}

/// Sets the member of that name; one that exists keeps its place.
inline void set_member(Members& members, std::string_view name, Value value) {
  for (auto& member : members)
    if (member.name == name) return void(member.value = std::move(value));
  members.push_back({std::string{name}, std::move(value)});
}

/// Writes what `change(Members&)` makes of the document. First the groups above lose their copies of it, so whenever
/// this ends, none of them contradicts the document. Throws: MetadataError, if there is none; what `change` throws;
/// StoreError.
template <class S, class F>
void change_document(S const& store, std::string const& path, F&& change) {
  in_document(store, path, [&] {
    auto const& documents = metadata_of(store);
    drop_consolidated_above(documents, path);
    until_unchanged([&] {
      [[maybe_unused]] auto const held = lock_of(documents, document_key(path));
      auto members = document_members(documents, path);
      change(members);
      write_document(documents, path, std::move(members));
    });
  });
}

}  // namespace detail
}}  // namespace tessera::v0
