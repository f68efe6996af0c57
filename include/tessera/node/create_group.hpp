// create_group: makes groups; and create_array and create_group below a group.
#pragma once
#include <cstddef>
#include <string>
#include <utility>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/metadata/detail/new_documents.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/detail/folder.hpp>
#include <tessera/node/detail/write_node.hpp>
#include <tessera/node/erase.hpp>
#include <tessera/node/group.hpp>

namespace tessera { inline namespace v0 {

/// Options of create_group.
struct GroupOptions {
  bool overwrite = false;              ///< erase the node at the path; if false, an existing node is an error
  ZarrFormat format = ZarrFormat::v3;  ///< of the group's document
};

namespace detail {

template <class S>
Group<S> make_group(S const& store, std::string path, Members attributes, GroupOptions options,
                    FunctionRef<void()> make_room) {
  GroupMetadata metadata{std::move(attributes), {}};
  metadata.format = options.format;
  in_document(store, document_key(path, options.format, NodeType::group), [&] {
    check_node_path(path);
    write_node(metadata_of(store), path, new_documents(path, metadata), options.format, options.overwrite, make_room);
  });
  return Group<S>{store, std::move(path), std::move(metadata)};
}

}  // namespace detail

/// Makes a group at `path`, and the missing groups above it. Throws: MetadataError, if there is a node at the path
/// already; StoreError.
template <class S>
auto create_group(S const& store, std::string path = "", Members attributes = {}) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_store<Store>() || !detail::check_documents<Store>())
    return detail::InvalidGroup{};
  else
    return detail::make_group(detail::store_of(store), std::move(path), std::move(attributes), {}, [] {});
}
/// As above, or replaces the node at the path: `create_group(store, "scan", {}, {.overwrite = true})` erases it and
/// everything below it, as erase_node does. `{.format = ZarrFormat::v2}` makes a Zarr v2 group.
template <class S>
auto create_group(S const& given, std::string path, Members attributes, GroupOptions options) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_store<Store>() || !detail::check_metadata_store<Store>() ||
                !detail::check_writable<Store>()) {
    return detail::InvalidGroup{};
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
