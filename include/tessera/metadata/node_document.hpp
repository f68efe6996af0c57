// Changes the document of a node that is there: under its lock, with all that this program does not know of it kept.
#pragma once
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/function_ref.hpp>
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
[[noreturn, gnu::noinline, gnu::cold]] void throw_in_document(S const& store, Key const& document) {
  auto const name = [&](Error& error) { error.in_key(document.path).in_store(name_of(metadata_of(store))); };
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
template <class S>
[[noreturn, gnu::noinline, gnu::cold]] void throw_in_document(S const& store, std::string const& path) {
  throw_in_document(store, document_key(path));
}

// Runs f; its errors are of that document, or of that of the path in v3, those of selections too.
template <class S, class Where, class F>
auto in_document(S const& store, Where const& where, F&& f) {
  try {
    return f();
  } catch (...) {
    throw_in_document(store, where);
  }
}

// What a document says. Throws: MetadataError, if there is none.
template <class D>
Members document_members(D const& documents, std::string const& path) {
  auto document = read_document(documents, path, [](ObjectReader& reader) { return reader.value(); });
  if (!document)
    throw missing_node(documents, path, "node").in_key(document_key(path).path).in_store(name_of(documents));
  return std::move(*document->template get_if<Members>());
}

/// Sets the member of that name; one that exists keeps its place.
inline void set_member(Members& members, std::string_view name, Value value) {
  for (auto& member : members)
    if (member.name == name) return void(member.value = std::move(value));
  members.push_back({std::string{name}, std::move(value)});
}

// Of a Zarr v2 node: the member goes where v2 has it, and the rest of that document stays as it is.
template <class D>
[[gnu::noinline, gnu::cold]] void change_v2_document(D const& documents, std::string const& path,
                                                    std::string_view member, FunctionRef<void(Members&)> change) {
  drop_v2_copies(documents, path);
  for_each_ancestor(path, [&](std::string_view above) { drop_v2_copies(documents, above); });
  bool const is_of_attributes = member == "attributes";
  auto const key = is_of_attributes ? v2_attributes_key(path) : document_key(path, ZarrFormat::v2);
  in_document(documents, key, [&] {
    until_unchanged([&] {
      [[maybe_unused]] auto const held = lock_of(documents, key);
      auto members = document_members(documents, path);
      change(members);
      auto document = is_of_attributes ? members.at(member) : read_value(documents, key).value_or(Value{});
      if (!is_of_attributes) {
        auto* const own = document.template get_if<Members>();
        if (!own) throw missing_node(documents, path, "node");
        set_member(*own, member, members.at(member));
      }
      write_text(documents, key, document_text(document));
    });
  });
}

/// Writes what `change(Members&)` makes of that member of the document. First the groups above lose their copies of it,
/// so whenever this ends, none of them contradicts the document. Throws: MetadataError, if there is none; what `change`
/// throws; StoreError.
template <class S, class F>
void change_document(S const& store, std::string const& path, std::string_view member, F&& change) {
  in_document(store, path, [&] {
    auto const& documents = metadata_of(store);
    drop_consolidated_above(documents, path, ZarrFormat::v3);
    bool const is_v3 = until_unchanged([&] {
      [[maybe_unused]] auto const held = lock_of(documents, document_key(path));
      auto document = read_v3_document(documents, document_key(path));
      if (!document) return false;
      auto members = std::move(*document->template get_if<Members>());
      change(members);
      write_document(documents, path, std::move(members));
      return true;
    });
    if (!is_v3) change_v2_document(documents, path, member, change);
  });
}

}  // namespace detail
}}  // namespace tessera::v0
