#pragma once
#include <tessera/metadata/detail/consolidated_documents.hpp>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <tessera/key/key.hpp>
#include <tessera/metadata/detail/format.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::optional<Value> read_value(ConsolidatedDocuments const& copies, Key const& key) {
  auto const found = copies.all().find(key.path);
  return found == copies.all().end() ? std::nullopt : std::optional{found->second};
}

TESSERA_DECL std::shared_ptr<ConsolidatedDocuments> empty_copies(std::string_view store, Key const& where) {
  return std::make_shared<ConsolidatedDocuments>(to_text({store, " (consolidated in ", where.path, ")"}));
}

// What cannot be a node's key is left out, because a list of nodes would lead to no document.
TESSERA_DECL void add_copy(ConsolidatedDocuments& copies, Key key, Value& document) {
  if (is_key(key.path)) copies.add(std::move(key), std::move(document));
}

TESSERA_DECL std::string_view without_root(std::string_view path) {
  if (path.starts_with('/')) path.remove_prefix(1);
  return path;
}

TESSERA_DECL SharedCopies take_v3_copies(std::string_view store, std::string_view path, Value& document) {
  auto* const members = document.get_if<Members>();
  for (auto& member : *members) {
    auto* const found = member.name == "consolidated_metadata" ? member.value.get_if<Members>() : nullptr;
    if (!found || !found->contains("kind") || found->at("kind") != Value{"inline"}) continue;
    for (auto& part : *found) {
      auto* const list = part.name == "metadata" ? part.value.get_if<Members>() : nullptr;
      if (!list) continue;
      auto copies = empty_copies(store, document_key(path));
      for (auto& copy : *list) add_copy(*copies, document_key((path / without_root(copy.name)).path), copy.value);
      return copies;
    }
  }
  return nullptr;
}

TESSERA_DECL SharedCopies v2_copies(std::string_view store, std::string_view path, Value& document) {
  auto* const members = document.get_if<Members>();
  if (!members || !members->contains("zarr_consolidated_format")) return nullptr;
  if (members->at("zarr_consolidated_format") != Value::integer(1)) return nullptr;
  for (auto& member : *members) {
    auto* const list = member.name == "metadata" ? member.value.get_if<Members>() : nullptr;
    if (!list) continue;
    auto copies = empty_copies(store, v2_copies_key(path));
    for (auto& copy : *list) add_copy(*copies, path / without_root(copy.name), copy.value);
    return copies;
  }
  return nullptr;
}

}}}  // namespace tessera::v0::detail
