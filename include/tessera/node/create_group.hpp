// Makes groups, and arrays and groups below them.
#pragma once
#include <cstddef>
#include <string>
#include <utility>

#include <tessera/metadata/new_documents.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/erase.hpp>
#include <tessera/node/folder.hpp>
#include <tessera/node/group.hpp>
#include <tessera/node/write_node.hpp>

namespace tessera { inline namespace v0 {

struct GroupOptions {
  bool overwrite = false;  ///< erase what is at the path; else it is an error if there is something
  ZarrFormat format = ZarrFormat::v3;
};

namespace detail {

template <class S>
auto make_group(S const& store, std::string path, Members attributes, GroupOptions options, auto&& make_room) {
  GroupMetadata metadata{std::move(attributes), {}};
  metadata.format = options.format;
  in_document(store, document_key(path, options.format, NodeType::group), [&] {
    check_node_path(path);
    write_node(metadata_of(store), path, new_documents(path, metadata), options.format, options.overwrite, make_room);
  });
  return Group<S>{store, std::move(path), std::move(metadata)};
}

}  // namespace detail

/// Makes a group at `path`, and the missing groups above it. Throws: MetadataError, if there is something at the path
/// already; StoreError.
template <class S>
auto create_group(S const& store, std::string path = "", Members attributes = {}) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_store<Store>() || !detail::check_documents<Store>())
    return detail::InvalidCall{};
  else
    return detail::make_group(detail::store_of(store), std::move(path), std::move(attributes), {}, [] {});
}
/// The same, or replaces what is at the path: `create_group(store, "scan", {}, {.overwrite = true})` erases it and
/// everything below it, as erase_node does. `{.format = ZarrFormat::v2}` makes a group of Zarr v2.
template <class S>
auto create_group(S const& given, std::string path, Members attributes, GroupOptions options) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_store<Store>() || !detail::check_metadata_store<Store>() ||
                !detail::check_writable<Store>()) {
    return detail::InvalidCall{};
  } else {
    auto const& store = detail::store_of(given);
    return detail::make_group(store, path, std::move(attributes), options, [&] {
      if (!options.overwrite) return;
      queue_of<Store> on;
      detail::erase_below(store, path, on);
      on.wait();
    });
  }
}

/// Below a group, by the path from there.
template <class T, std::size_t Rank, class P = detail::usual_pipeline<T>, class S, class... On>
auto create_array(Group<S> const& group, std::string path, NewArray<T> const& wanted, P const& pipeline = {},
                  On... on) {
  return create_array<T, Rank>(group.store(), group / path, wanted, pipeline, std::move(on)...);
}
template <class S>
auto create_group(Group<S> const& group, std::string path, Members attributes = {}, GroupOptions options = {}) {
  return create_group(group.store(), group / path, std::move(attributes), options);
}

}}  // namespace tessera::v0
