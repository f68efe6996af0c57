// host_side: a store's keys, with their values in host memory.
#pragma once
#include <concepts>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/cast_store.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/routed_store.hpp>
#include <tessera/store/split_store.hpp>
#include <tessera/store/wrapper_store.hpp>

namespace tessera { inline namespace v0 {

/// The same keys and locks, with values in host memory: the same files for a LocalStore, the source of a CastStore, the
/// store itself if it has host memory. Other stores need a queue.
template <class S>
auto host_side(S const& store) {
  if constexpr (std::same_as<space_of<S>, space::Host>) {
    return store;
  } else {
    constexpr bool has_host_side = requires { store.host_side(); };
    static_assert(has_host_side,
                  "tessera: copying this store's values to the host needs a device queue: call host_side(store, "
                  "queue)");
    if constexpr (has_host_side) return store.host_side();
  }
}

template <class S>
auto host_side(S const& store, queue_of<S> const& on);

namespace detail {

// For a store that wraps others, wraps their host sides.
template <class S>
struct HostSide {
  static CastStore<HostBuffer, S> of(S const& store, queue_of<S> const& on) { return {store, on}; }
};
template <class Meta, class Chunks>
struct HostSide<SplitStore<Meta, Chunks>> {
  static auto of(SplitStore<Meta, Chunks> const& store, queue_of<Chunks> const& on) {
    return SplitStore{store.metadata_store(), host_side(store.chunk_store(), on)};
  }
};
template <class First, class Second, class Rule>
struct HostSide<RoutedStore<First, Second, Rule>> {
  static auto of(RoutedStore<First, Second, Rule> const& store, queue_of<Second> const& on) {
    return RoutedStore{host_side(store.first(), on), host_side(store.second(), on), store.rule()};
  }
};
template <class S>
struct HostSide<PrefixStore<S>> {
  static auto of(PrefixStore<S> const& store, queue_of<S> const& on) {
    return PrefixStore{host_side(store.source(), on), store.folder()};
  }
};
template <class S>
struct HostSide<ReadOnlyStore<S>> {
  static auto of(ReadOnlyStore<S> const& store, queue_of<S> const& on) {
    return ReadOnlyStore{host_side(store.source(), on)};
  }
};

}  // namespace detail

/// For every store. Values in device memory are copied on the queue; each read and write waits for it, once.
template <class S>
auto host_side(S const& store, queue_of<S> const& on) {
  if constexpr (std::same_as<space_of<S>, space::Host> || requires { store.host_side(); })
    return host_side(store);
  else
    return detail::HostSide<S>::of(store, on);
}

}}  // namespace tessera::v0
