// open_or_create_array, open_or_create_any, open_or_create_group: open a node, or make it, if it is missing.
#pragma once
#include <concepts>
#include <cstddef>
#include <string>
#include <utility>

#include <tessera/node/create.hpp>
#include <tessera/node/detail/folder.hpp>
#include <tessera/node/nodes.hpp>
#include <tessera/node/open.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// Opens, or makes and opens: another writer may make the node in between.
template <class S, class Open, class Make>
auto open_or_make(S const& store, std::string const& path, Open&& open, Make&& make) -> decltype(open()) {
  try {
    return open();
  } catch (NodeNotFound const&) {
  }
  try {
    make();
  } catch (MetadataError const&) {
    if (!exists(store, path)) throw;
  }
  return open();
}

}  // namespace detail

/// Opens the array at `path` as open_any does, or makes it as create_any does, if it is missing. An existing array is
/// not changed, and only its codecs are compared with `metadata`. Throws: MetadataError, StoreError.
template <class Codec = BuiltInCodecs, class S, class... On>
auto open_or_create_any(S const& given, std::string path, ArrayMetadata metadata, On... on) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_opening<Codec, Store, On...>() || !detail::check_writable<Store>()) {
    return detail::InvalidCall{};
  } else {
    auto const& store = detail::store_of(given);
    return detail::open_or_make(
        store, path, [&] { return open_any<Codec>(store, path, on...); },
        [&] { create_any<Codec>(store, path, std::move(metadata), {}, on...); });
  }
}

/// Opens the array at `path` as open_array does, or makes it from `wanted` and `pipeline` as create_array does, if it
/// is missing. An existing array keeps its shape, chunks, codecs, fill value and attributes. Does what zarr-python's
/// require_array does. The codecs of `pipeline` must be in the list `Codec`. Throws: MetadataError, if there is an
/// array of another type or rank, or a group, or if `wanted` says to overwrite; StoreError.
template <class T, std::size_t Rank, class Codec = detail::codecs_for<T, BuiltInCodecs>,
          class P = detail::usual_pipeline<T>, class S, class... On>
auto open_or_create_array(S const& given, std::string path, NewArray<T> const& wanted, P const& pipeline = {},
                          On... on) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_element<T>()) {
    return detail::InvalidCall<T>{};
  } else if constexpr (!detail::check_opening<Codec, Store, On...>() || !detail::check_opening<P, Store>() ||
                       !detail::check_writable<Store>()) {
    return detail::InvalidCall<T>{};
  } else if constexpr (!detail::check_elements_space<T, Codec, Store>()) {
    return detail::InvalidCall<T>{};
  } else {
    auto const& store = detail::store_of(given);
    detail::in_document(store, document_key(path, wanted.format), [&] {
      if (wanted.overwrite)
        throw MetadataError{"found .overwrite = true, which erases the existing node: call create_array"};
      using Opened = typename detail::pipeline_over<Codec, Store>::type;
      auto const codecs = detail::described(wanted, pipeline).codecs;
      detail::with_shards<Opened>(codecs, [&]<class Q>(std::type_identity<Q>) { Q::from(codecs); });  // or make nothing
    });
    return detail::open_or_make(
        store, path, [&] { return open_array<T, Rank, Codec>(store, path, on...); },
        [&] {
          if constexpr ((sizeof...(On) == 1) && (std::same_as<On, typename P::queue_type> && ...))
            create_array<T, Rank>(store, path, wanted, pipeline, on...);
          else
            create_array<T, Rank>(store, path, wanted, pipeline);
        });
  }
}

/// Opens the group at `path` as open_group does, or makes it with these attributes, if it is missing. Throws:
/// MetadataError, if there is an array; StoreError.
template <class S>
auto open_or_create_group(S const& given, std::string path = "", Members attributes = {},
                          ZarrFormat format = ZarrFormat::v3) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_store<Store>() || !detail::check_metadata_store<Store>() ||
                !detail::check_writable<Store>()) {
    return detail::InvalidGroup{};
  } else {
    auto const& store = detail::store_of(given);
    return detail::open_or_make(
        store, path, [&] { return open_group(store, path); },
        [&] { create_group(store, path, std::move(attributes), {.format = format}); });
  }
}

/// As above, with a group in place of the store; `path` begins at the group.
template <class T, std::size_t Rank, class Codec = detail::codecs_for<T, BuiltInCodecs>,
          class P = detail::usual_pipeline<T>, class S, class... On>
auto open_or_create_array(Group<S> const& group, std::string path, NewArray<T> const& wanted, P const& pipeline = {},
                          On... on) {
  return open_or_create_array<T, Rank, Codec>(group.store(), group / path, wanted, pipeline, std::move(on)...);
}
template <class S>
auto open_or_create_group(Group<S> const& group, std::string path, Members attributes = {},
                          ZarrFormat format = ZarrFormat::v3) {
  return open_or_create_group(group.store(), group / path, std::move(attributes), format);
}

}}  // namespace tessera::v0
