// ConsolidatedDocuments: copies in a group's consolidated metadata, read instead of the documents in the store.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/value_types.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Documents by key, from the store's root. Functions that read documents accept it as a store.
class ConsolidatedDocuments {
 public:
  explicit ConsolidatedDocuments(std::string name) : name_{std::move(name)} {}

  std::string const& name() const { return name_; }  ///< for errors: the store, and the key of the copies
  std::map<std::string, Value, std::less<>> const& all() const { return documents_; }
  void add(Key key, Value document) { documents_.insert_or_assign(std::move(key.path), std::move(document)); }

  /// Visits the folders one level below a path, each once.
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

/// As for a store: `read_document` finds a node's documents by it.
TESSERA_DECL std::optional<Value> read_value(ConsolidatedDocuments const& copies, Key const& key);

using SharedCopies = std::shared_ptr<ConsolidatedDocuments const>;

/// Moves the copies out of `document`, the `zarr.json` of the group at `path`. Null: none, or of an unknown kind. Some
/// programs begin paths with a '/'. A copy whose path cannot be a key is left out.
TESSERA_DECL SharedCopies take_v3_copies(std::string_view store, std::string_view path, Value& document);

/// The copies in `document`, the `.zmetadata` of the group at `path`, its own included. Null: as for v3.
TESSERA_DECL SharedCopies v2_copies(std::string_view store, std::string_view path, Value& document);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/metadata/detail/consolidated_documents.ipp>
#endif
