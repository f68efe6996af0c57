// The documents that a group's consolidated metadata copies, read in place of those in the store.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/reader.hpp>
#include <tessera/metadata/format.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {

/// What open_group does about consolidated metadata.
enum class Consolidated {
  use,     ///< where the group has it: nodes below are then as the copies say, which may be stale
  ignore,  ///< each node is opened by its own documents
  require  ///< as `use`; a group without it is an error
};

namespace detail {

/// Documents by their keys, from the store's root on. Functions that read documents take it where they take a store.
class ConsolidatedDocuments {
 public:
  explicit ConsolidatedDocuments(std::string name) : name_{std::move(name)} {}

  std::string const& name() const { return name_; }  ///< what errors say: the store, and where the copies are
  std::map<std::string, Value, std::less<>> const& all() const { return documents_; }
  void add(Key key, Value document) { documents_.insert_or_assign(std::move(key.path), std::move(document)); }

  /// Folders one level below a path, each once.
  template <class F>
  void list_directory(std::string_view path, F&& visit) const {
    auto const begin = (path / "").path;
    for (auto at = documents_.lower_bound(begin); at != documents_.end() && at->first.starts_with(begin);) {
      auto const slash = at->first.find('/', begin.size());
      if (slash == std::string::npos) {
        ++at;
        continue;
      }
      auto const folder = at->first.substr(0, slash);
      visit(Listed{folder, true});
      at = documents_.lower_bound(folder + char{'/' + 1});
    }
  }

 private:
  std::string name_;
  std::map<std::string, Value, std::less<>> documents_;
};

/// As of a store: in it `read_document` finds a node's documents.
inline std::optional<Value> read_value(ConsolidatedDocuments const& copies, Key const& key) {
  auto const found = copies.all().find(key.path);
  return found == copies.all().end() ? std::nullopt : std::optional{found->second};
}

using SharedCopies = std::shared_ptr<ConsolidatedDocuments const>;

inline std::shared_ptr<ConsolidatedDocuments> empty_copies(std::string_view store, Key const& where) {
  return std::make_shared<ConsolidatedDocuments>(text({store, " (consolidated in ", where.path, ")"}));
}

/// The copies in the `zarr.json` of the group at `path`, which this takes. Null: there are none, or they are of a kind
/// that is not known. Some programs begin paths with a '/'.
inline SharedCopies take_v3_copies(std::string_view store, std::string_view path, Value& document) {
  auto* const members = document.get_if<Members>();
  for (auto& member : *members) {
    auto* const found = member.name == "consolidated_metadata" ? member.value.get_if<Members>() : nullptr;
    if (!found || !found->contains("kind") || found->at("kind") != Value{"inline"}) continue;
    for (auto& part : *found) {
      auto* const list = part.name == "metadata" ? part.value.get_if<Members>() : nullptr;
      if (!list) continue;
      auto copies = empty_copies(store, document_key(path));
      for (auto& copy : *list) {
        std::string_view below = copy.name;
        if (below.starts_with('/')) below.remove_prefix(1);
        copies->add(document_key((path / below).path), std::move(copy.value));
      }
      return copies;
    }
  }
  return nullptr;
}

/// The copies that `.zmetadata` of the group at `path` is, those of the group itself among them. Null: as above.
inline SharedCopies v2_copies(std::string_view store, std::string_view path, Value& document) {
  auto* const members = document.get_if<Members>();
  if (!members || !members->contains("zarr_consolidated_format")) return nullptr;
  if (members->at("zarr_consolidated_format") != Value::integer(1)) return nullptr;
  for (auto& member : *members) {
    auto* const list = member.name == "metadata" ? member.value.get_if<Members>() : nullptr;
    if (!list) continue;
    auto copies = empty_copies(store, v2_copies_key(path));
    for (auto& copy : *list) copies->add(path / copy.name, std::move(copy.value));
    return copies;
  }
  return nullptr;
}

}  // namespace detail
}}  // namespace tessera::v0
