// open, create and arrays without naming codecs: arrays are opened with AllCodecs, and created as zarr-python creates
// them. These are separate functions, so that an include does not change what another name means. Needs the libraries
// of with/all.hpp.
#pragma once
#include <concepts>
#include <cstddef>
#include <string>
#include <utility>

#include <tessera/node/create.hpp>
#include <tessera/node/detail/folder.hpp>
#include <tessera/node/open.hpp>
#include <tessera/node/open_or_create.hpp>
#include <tessera/with/all.hpp>

namespace tessera { inline namespace v0 {

/// The codecs of a new array in zarr-python 3, unless others are given; strings and bytes have their own in place of
/// the first.
using UsualCodecs = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

/// open_array with every codec: `open<float, 3>(store, "a")`. The store may be a folder's name, in the functions below
/// too: `open<float, 3>("data.zarr", "a")` uses a LocalStore<HostBuffer>.
template <class T, std::size_t Rank, class S, class... On>
auto open(S const& store, std::string path = "", On... on) {
  return open_array<T, Rank, detail::codecs_for<T, AllCodecs>>(detail::store_of(store), std::move(path),
                                                               std::move(on)...);
}

/// open_any with every codec: `open(store, "a")`.
template <class S, class... On>
auto open(S const& store, std::string path = "", On... on) {
  return open_any<AllCodecs>(detail::store_of(store), std::move(path), std::move(on)...);
}

/// create_array with UsualCodecs, or the pipeline given: `create<float, 3>(store, "a", {.shape = ...})`.
template <class T, std::size_t Rank, class P = detail::usual_pipeline<T, codec::Zstd>, class S, class... On>
auto create(S const& store, std::string path, NewArray<T> const& wanted, P const& pipeline = {}, On... on) {
  return create_array<T, Rank>(detail::store_of(store), std::move(path), wanted, pipeline, std::move(on)...);
}

/// open_or_create_array with every codec: `open_or_create<float, 3>(store, "a", {.shape = ...})`.
template <class T, std::size_t Rank, class P = detail::usual_pipeline<T, codec::Zstd>, class S, class... On>
auto open_or_create(S const& store, std::string path, NewArray<T> const& wanted, P const& pipeline = {}, On... on) {
  return open_or_create_array<T, Rank, detail::codecs_for<T, AllCodecs>>(store, std::move(path), wanted, pipeline,
                                                                         std::move(on)...);
}

/// The same for nodes below a group, by their path relative to it: `open(group, "t1")`.
template <class T, std::size_t Rank, class S, class... On>
auto open(Group<S> const& group, std::string path, On... on) {
  return open_array<T, Rank, detail::codecs_for<T, AllCodecs>>(group, std::move(path), std::move(on)...);
}
template <class S, class... On>
auto open(Group<S> const& group, std::string path, On... on) {
  return open_any<AllCodecs>(group, std::move(path), std::move(on)...);
}
template <class T, std::size_t Rank, class P = detail::usual_pipeline<T, codec::Zstd>, class S, class... On>
auto create(Group<S> const& group, std::string path, NewArray<T> const& wanted, P const& pipeline = {}, On... on) {
  return create<T, Rank>(group.store(), group / path, wanted, pipeline, std::move(on)...);
}

/// Group::arrays with every codec: `for (auto const& [name, array] : arrays(group))`.
template <class S, class... On>
auto arrays(Group<S> const& group, On... on) {
  return group.template arrays<AllCodecs>(std::move(on)...);
}

/// For a compile error that names what is missing: the array's number of dimensions.
template <class T, class... Rest, class S, class... On>
requires(!std::same_as<T, S>) auto open(S const&, std::string = "", On...) {
  static_assert(sizeof(T) == 0,
                "tessera: open needs the number of dimensions: open<float, 3>(store, path); if only the file has it, "
                "use open(store, path) and visit of <tessera/array/visit.hpp>");
  return detail::InvalidCall<T>{};
}
template <class T, class... Rest, class S, class... More>
auto create(S const&, std::string, NewArray<T> const&, More const&...) {
  static_assert(sizeof(T) == 0, "tessera: create needs the number of dimensions: create<float, 3>(store, path, ...)");
  return detail::InvalidCall<T>{};
}

}}  // namespace tessera::v0
