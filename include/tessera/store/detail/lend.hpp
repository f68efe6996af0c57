// lend: reads values in a store's memory, without a copy. lend_many, for many values: a store that can do better than
// one after the other has a member of the same name.
#pragma once
#include <optional>
#include <span>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/requests.hpp>

namespace tessera { inline namespace v0 {

/// A value, or part of it, in place. Does not wait, and copies and allocates only for a value on another GPU than the
/// queue's. Throws: StoreError.
template <class S>
std::optional<Lent<space_of<S>>> lend(S const& store, Key const& key, ByteRange range, queue_of<S>& on) try {
  constexpr bool lends = LendingStore<S>;
  static_assert(
      lends,
      "tessera: this store does not hold its values in memory and cannot lend them: call get_value(store, key, "
      "queue)");
  if constexpr (lends)
    return store.lend(key, range, on);
  else
    return std::nullopt;
} catch (Error& error) {
  error.in_key(key.path).in_store(name_of(store));
  throw;
}

namespace detail {

template <class S>
concept HasLendMany = requires(S const& store, std::span<LendRequest<space_of<S>>> requests, queue_of<S>& on) {
  store.lend_many(requests, on);
};

}  // namespace detail

/// Lends many values, in any order, each as by `lend`. Throws: StoreError, with the key.
template <class S>
void lend_many(S const& store, std::span<LendRequest<space_of<S>>> requests, queue_of<S>& on) {
  if constexpr (detail::HasLendMany<S>)
    store.lend_many(requests, on);
  else
    for (auto& request : requests) request.lent = lend(store, *request.key, request.range, on);
}

}}  // namespace tessera::v0
