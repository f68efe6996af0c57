// change_document: changes the document of a node under its lock, and keeps members unknown to this program.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/metadata/detail/consolidated.hpp>
#include <tessera/metadata/detail/document.hpp>
#include <tessera/metadata/detail/fill_value.hpp>
#include <tessera/metadata/detail/missing_node.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/value_changed.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// In a handler: adds document and store to the caught error and rethrows it. Separate from in_document, whose code
// would double with it in each call.
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
  } catch (BudgetError& error) {
    name(error);
    throw;
  } catch (StoreError& error) {  // of a key that it names itself, or of a folder
    error.in_store(name_of(metadata_of(store)));
    throw;
  }
}
template <class S>
[[noreturn, gnu::noinline, gnu::cold]] void throw_in_document(S const& store, std::string const& path) {
  throw_in_document(store, document_key(path));
}

// Runs f. Its errors, also of selections and budgets, name the document, or the v3 document of the path.
template <class S, class Where, class F>
auto in_document(S const& store, Where const& where, F&& f) {
  try {
    return f();
  } catch (...) {
    throw_in_document(store, where);
  }
}

// Returns `read(documents)`, which looks for `zarr.json` first. If that appears only afterwards, convert_node has
// replaced the Zarr v2 documents meanwhile: reads again.
template <class D, class F>
auto found_in_either(D const& documents, std::string const& path, F&& read) {
  queue_of<D> on;
  auto found = read(documents);
  if (!found && value_size(documents, document_key(path), on)) found = read(documents);
  return found;
}

// Runs f. Codec errors name the document that asks for the codec.
template <class S, class F>
void in_codecs_of(S const& store, Key const& document, F&& f) {
  try {
    f();
  } catch (CodecError& error) {
    error.in_key(document.path).in_store(name_of(metadata_of(store)));
    throw;
  }
}

// The members of a document. Throws: NodeNotFound, if it is missing.
template <class D>
Members document_members(D const& documents, std::string const& path) {
  auto document = found_in_either(documents, path, [&](D const& in) {
    return read_document(in, path, [](ObjectReader& reader) { return reader.value(); });
  });
  if (!document)
    throw missing_node(documents, path, "node").in_key(document_key(path).path).in_store(name_of(documents));
  return std::move(*document->template get_if<Members>());
}

/// Sets the member of that name; an existing one keeps its position.
TESSERA_DECL void set_member(Members& members, std::string_view name, Value value);

template <class D>
void drop_v2_copies_of(D const& documents, std::string const& path) {
  drop_v2_copies(documents, path);
  for_each_ancestor(path, [&](std::string_view above) { drop_v2_copies(documents, above); });
}

/// Whether `key` has a value to lock: where files are locked, a missing one has no lock. Otherwise makes one; lock it
/// again then.
template <class D>
bool is_lockable(D const& documents, Key const& key) {
  queue_of<D> on;
  if (value_size(documents, key, on)) return true;
  write_text(documents, key, "{}");
  return false;
}

// Changes a member of a Zarr v2 node in the document that has it in v2, and nothing else of that document. Returns
// whether the node is of Zarr v2; nullopt: try again. convert_node and erasing a node use the same lock.
template <class D>
std::optional<bool> try_to_change_v2_document(D const& documents, std::string const& path, std::string_view member,
                                              FunctionRef<void(Members&)> change, Stop stop) {
  queue_of<D> on;
  bool const is_of_attributes = member == "attributes";
  auto const key = is_of_attributes ? v2_attributes_key(path) : document_key(path, ZarrFormat::v2);
  [[maybe_unused]] auto const held = lock_of(documents, key, stop);
  auto const is_v3 = [&] { return value_size(documents, document_key(path), on).has_value(); };
  auto found = is_v3() ? std::nullopt : find_v2_document(documents, path, std::nullopt);
  if (!found) {
    if (is_of_attributes && read_text(documents, key) == "{}") documents.erase(key, on);  // made by is_lockable
    if (is_v3()) return false;
    throw missing_node(documents, path, "node").in_key(document_key(path).path).in_store(name_of(documents));
  }
  if (is_of_attributes && !is_lockable(documents, key)) return std::nullopt;
  auto& members = *found->value.template get_if<Members>();
  change(members);
  auto document = is_of_attributes ? members.at(member) : read_value(documents, key).value_or(Value{});
  if (!is_of_attributes) {
    auto* const own = document.template get_if<Members>();
    if (!own) throw missing_node(documents, path, "node");
    set_member(*own, member, members.at(member));
  }
  write_text(documents, key, document_text(document));
  return true;
}

template <class D>
[[gnu::noinline, gnu::cold]] bool change_v2_document(D const& documents, std::string const& path,
                                                    std::string_view member, FunctionRef<void(Members&)> change,
                                                    Stop stop) {
  drop_v2_copies_of(documents, path);
  auto const key = member == "attributes" ? v2_attributes_key(path) : document_key(path, ZarrFormat::v2);
  std::optional<bool> is_v2;
  in_document(documents, key, [&] {
    while (!is_v2)
      is_v2 = until_unchanged([&] { return try_to_change_v2_document(documents, path, member, change, stop); });
  });
  if (*is_v2) drop_v2_copies_of(documents, path);
  return *is_v2;
}

/// Changes `member` of the document by `change(Members&)`, in the format that the node then has. The groups above lose
/// their copies of it: before, so that no copy contradicts the document however this ends, and again after, because
/// `consolidate` may have copied the old document in between. Throws: MetadataError, if the document is missing; any
/// exception of `change`; StoreError; Cancelled, if it waits for the lock and `stop` becomes true.
template <class S>
void change_document(S const& store, std::string const& path, std::string_view member,
                     FunctionRef<void(Members&)> change, Stop stop = nullptr) {
  in_document(store, path, [&] {
    auto const& documents = metadata_of(store);
    drop_consolidated_above(documents, path, ZarrFormat::v3);
    auto const change_v3 = [&] {
      return until_unchanged([&] {
        [[maybe_unused]] auto const held = lock_of(documents, document_key(path), stop);
        auto document = read_v3_document(documents, document_key(path));
        if (!document) return false;
        auto members = std::move(*document->template get_if<Members>());
        change(members);
        write_document(documents, path, std::move(members));
        return true;
      });
    };
    while (!change_v3())
      if (change_v2_document(documents, path, member, change, stop)) return;
    drop_consolidated_above(documents, path, ZarrFormat::v3);
  });
}

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/node_document.ipp>
#endif
