// Which copies of a group's consolidated metadata are not true any more.
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/consolidated_documents.hpp>
#include <tessera/node/consolidate.hpp>

namespace tessera { inline namespace v0 {

struct StaleCopy {
  std::string where;    ///< the key of the document that has the copy
  std::string problem;  ///< "the copy of \"a/zarr.json\" is not what that document says"
};

namespace detail {

// The members of an object have no order.
inline bool says_the_same(Value const& a, Value const& b) {
  auto const *one = a.get_if<Members>(), *other = b.get_if<Members>();
  if (one && other) {
    if (one->size() != other->size()) return false;
    return std::all_of(one->begin(), one->end(), [&](Member const& member) {
      auto const* const same = other->find(member.name);
      return same && says_the_same(member.value, *same);
    });
  }
  auto const *items = a.get_if<List>(), *others = b.get_if<List>();
  if (!items || !others) return a == b;
  return std::equal(items->begin(), items->end(), others->begin(), others->end(), says_the_same);
}

// A document as tessera would write it: other programs write a number, or a default, in their own way.
inline Value in_one_form(std::string_view key, Value const& document) try {
  auto const name = key.substr(key.rfind('/') + 1);
  auto const lowered = name == ".zarray" ? lower_v2_array(document, {}) : document;
  if (name != "zarr.json" && name != ".zarray") return document;
  ObjectReader reader{lowered, ""};
  (void)reader.at("zarr_format");
  return reader.at("node_type").value() == Value{"array"} ? to_value(read_array_metadata(reader))
                                                          : to_value(read_group_metadata(reader));
} catch (MetadataError const&) {
  return document;  // which tessera does not read: as it is
}

inline bool is_true_copy(std::string_view key, Value copy, Value const& document) {
  take_out_copies(copy);
  return says_the_same(copy, document) || says_the_same(in_one_form(key, copy), in_one_form(key, document));
}

template <class S>
void compare_copies(Group<S> const& group, ZarrFormat format, Key const& where, ConsolidatedDocuments const& copies,
                    std::vector<StaleCopy>& stale) {
  auto const& documents = metadata_of(group.store());
  auto below = documents_below(group, format, [](Node const&) {});
  if (format == ZarrFormat::v2) add_documents(documents, group.path(), "", NodeType::group, format, below);
  std::map<std::string, Value const*> found;
  for (auto const& [key, document] : below) found.emplace((group.path() / key.path).path, &document);
  auto const add = [&](std::string_view before, std::string const& key, std::string_view after) {
    stale.push_back({where.path, text({before, describe(key), after})});
  };
  for (auto const& [key, copy] : copies.all())
    if (auto const at = found.find(key); at == found.end())
      add("there is a copy of ", key, ", which is not there");
    else if (!is_true_copy(key, copy, *at->second))
      add("the copy of ", key, " is not what that document says");
  for (auto const& [key, document] : found)
    if (!copies.all().contains(key)) add("there is no copy of ", key, "");
}

}  // namespace detail

/// What is wrong with the consolidated metadata of the group at `path`, in either format; empty, if there is none.
/// Throws: MetadataError, if there is no group, or a document below is damaged; StoreError.
template <class S>
std::vector<StaleCopy> stale_copies(S const& store, std::string const& path = "") {
  std::vector<StaleCopy> stale;
  if constexpr (detail::check_metadata_store<S>()) {
    auto const group = open_group(store, path, {.consolidated = Consolidated::ignore});
    auto const& documents = metadata_of(store);
    auto const check = [&](ZarrFormat format, Key const& where, detail::SharedCopies const& copies) {
      if (!copies)
        stale.push_back({where.path, "the consolidated metadata is of a kind that is not known; it is ignored"});
      else
        detail::compare_copies(group, format, where, *copies, stale);
    };
    auto const key = document_key(path);
    if (auto document = detail::read_v3_document(documents, key); document && group.metadata().has_consolidated)
      check(ZarrFormat::v3, key, detail::take_v3_copies(name_of(documents), path, *document));
    if (auto document = detail::read_value(documents, detail::v2_copies_key(path)))
      check(ZarrFormat::v2, detail::v2_copies_key(path), detail::v2_copies(name_of(documents), path, *document));
  }
  return stale;
}

}}  // namespace tessera::v0
