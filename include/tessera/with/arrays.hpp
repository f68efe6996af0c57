// Arrays without a word of codecs: opened with every codec that tessera has, made as zarr-python makes them. Functions
// of their own: what an include brings may not change what another name means. Needs what with/all.hpp needs.
#pragma once
#include <concepts>
#include <cstddef>
#include <string>
#include <utility>

#include <tessera/node/create.hpp>
#include <tessera/node/create_group.hpp>
#include <tessera/node/folder.hpp>
#include <tessera/node/open.hpp>
#include <tessera/node/open_group.hpp>
#include <tessera/with/all.hpp>

namespace tessera { inline namespace v0 {

/// The codecs of a new array in zarr-python 3, unless you give others; strings and bytes have their own in place of the
/// first.
using UsualCodecs = Pipeline<space::Host, codec::Bytes, codec::Zstd>;

/// open_array with every codec: `open<float, 3>(store, "a")`. The store may be a folder's name, as of the others too:
/// `open<float, 3>("data.zarr", "a")` is that of a LocalStore<HostBuffer>.
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

/// The same for nodes below a group, by their path from there: `open(group, "t1")`.
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

/// For a line that says what is missing: how many dimensions the array has.
template <class T, class... Rest, class S, class... On>
requires(!std::same_as<T, S>) auto open(S const&, std::string = "", On...) {
  static_assert(sizeof(T) == 0,
                "tessera: an array is opened with its number of dimensions: open<float, 3>(store, path); where only "
                "the file knows it, open(store, path), and visit of <tessera/array/visit.hpp>");
  return detail::InvalidCall{};
}
template <class T, class... Rest, class S, class... More>
auto create(S const&, std::string, NewArray<T> const&, More const&...) {
  static_assert(sizeof(T) == 0,
                "tessera: an array is made with its number of dimensions: create<float, 3>(store, path, ...)");
  return detail::InvalidCall{};
}

}}  // namespace tessera::v0
