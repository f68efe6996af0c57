// write_many, for many values. A store that can do better than one after the other has a member of the same name.
#pragma once
#include <concepts>
#include <span>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/requests.hpp>
#include <tessera/store/locks.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class S>
concept HasWriteMany = requires(S const& s, std::span<WriteRequest<space_of<S>> const> requests, queue_of<S>& on) {
  s.write_many(requests, on);
};

template <class S, class Lock>
void write_each(S const& store, std::span<WriteRequest<space_of<S>> const> requests, queue_of<S>& on, Lock&& lock) {
  for (auto const& request : requests) try {
      [[maybe_unused]] auto const held = lock(*request.key, request.stop);
      if constexpr (check_writable<S>()) store.write(*request.key, request.value, on);
    } catch (Error& error) {
      error.in_key(request.key->path).in_store(name_of(store));
      throw;
    }
}

template <class S, class Lock>
void write_many(S const& store, std::span<WriteRequest<space_of<S>> const> requests, queue_of<S>& on, Lock&& lock) {
  if constexpr (HasWriteMany<S>) {
    constexpr bool has_lock = requires(Key const& key) { store.lock(key); };
    static_assert(has_lock,
                  "tessera: a store with its own write_many must have a 'lock(Key const&)', and hold the lock of each "
                  "key that it writes");
    if constexpr (has_lock) store.write_many(requests, on);
  } else {
    write_each(store, requests, on, lock);
  }
}

}  // namespace detail

/// Writes many values, in any order, each under its key's lock if the store has locks. Values are read in the queue's
/// order, from host memory before this returns. Throws: StoreError, with the key; then some are written, each
/// completely or not at all.
template <class S>
void write_many(S const& store, std::span<WriteRequest<space_of<S>> const> requests, queue_of<S>& on) {
  detail::write_many(store, requests, on, [&](Key const& key, Stop stop) { return detail::lock_of(store, key, stop); });
}
/// `otherwise` has the locks for a store without any.
template <class S>
void write_many(S const& store, std::span<WriteRequest<space_of<S>> const> requests, queue_of<S>& on,
                KeyLocks& otherwise) {
  detail::write_many(store, requests, on,
                     [&](Key const& key, Stop stop) { return detail::lock_of(store, key, otherwise, stop); });
}

/// Refuses requests for another space than the store's.
template <class S, class Requests, class... Locks>
requires(!std::convertible_to<Requests, std::span<WriteRequest<space_of<S>> const>>) void write_many(S const&,
                                                                                                     Requests&&,
                                                                                                     queue_of<S>&,
                                                                                                     Locks&...) {
  static_assert(sizeof(S) == 0,
                "tessera: these requests do not fit this store: pass a std::span<WriteRequest<space> const> of the "
                "space that its buffers are in");
}

}}  // namespace tessera::v0
