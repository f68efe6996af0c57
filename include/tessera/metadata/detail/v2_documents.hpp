// find_v2_document: the documents of a Zarr v2 node, `.zarray` or `.zgroup`, and `.zattrs`.
#pragma once
#include <optional>
#include <string_view>
#include <utility>

#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/text.hpp>
#include <tessera/metadata/detail/v2_array.hpp>
#include <tessera/metadata/format.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// A document in v3 form, and its key.
struct FoundDocument {
  Value value;
  Key key;
};

/// `.zattrs`, which may be missing: an object. If it is broken, the error instead, naming store and key: elements stay
/// readable. Throws: StoreError.
template <class S>
[[gnu::noinline, gnu::cold]] Value read_v2_attributes(S const& store, std::string_view path) {
  auto const key = v2_attributes_key(path);
  try {
    auto found = read_value(store, key);
    if (!found) return Members{};
    if (found->template get_if<Members>()) return *std::move(found);
    throw MetadataError{to_text({"found ", describe(*found), ", expected an object"})}.in_key(key.path).in_store(
        name_of(store));
  } catch (MetadataError const& broken) {
    return std::string{broken.what()};
  }
}

/// The Zarr v2 node of the wanted type, or of either; nullopt: none. Throws: MetadataError, StoreError, naming store
/// and key.
template <class S>
[[gnu::noinline, gnu::cold]] std::optional<FoundDocument> find_v2_document(S const& store, std::string_view path,
                                                                           std::optional<NodeType> wanted) {
  for (auto const type : {NodeType::array, NodeType::group}) {
    if (wanted.value_or(type) != type) continue;
    auto key = document_key(path, ZarrFormat::v2, type);
    auto const document = read_value(store, key);
    if (!document) continue;
    auto attributes = read_v2_attributes(store, path);
    try {
      auto const lower = type == NodeType::array ? lower_v2_array : lower_v2_group;
      return FoundDocument{lower(*document, std::move(attributes)), std::move(key)};
    } catch (Error& error) {
      error.in_key(key.path).in_store(name_of(store));
      throw;
    }
  }
  return std::nullopt;
}

}  // namespace detail
}}  // namespace tessera::v0
