// Values where they lie in a store's memory: read without a copy.
#pragma once
#include <concepts>
#include <memory>
#include <optional>

#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {

/// Bytes of a store's, and what keeps them: they stay as they are, whatever becomes of the key and the store. Who gives
/// a queue work with the bytes holds the owner until the work is done: `on.keep(lent.owner)`.
template <MemorySpace S>
struct Lent {
  ByteView<S> bytes;
  std::shared_ptr<void const> owner;
};

/// A store that holds its values in memory. The bytes that its `lend` gives may be used in the queue's order; no such
/// key is nullopt.
template <class S>
concept LendingStore = ReadableStore<S> && requires(S const& s, Key const& k, ByteRange r, queue_of<S>& on) {
  { s.lend(k, r, on) } -> std::same_as<std::optional<Lent<space_of<S>>>>;
};

/// A value, or part of it, where it lies. Copies and allocates nothing, but for what lies on another GPU than the
/// queue's, and does not wait. Throws: StoreError.
template <class S>
std::optional<Lent<space_of<S>>> lend(S const& store, Key const& key, ByteRange range, queue_of<S>& on) try {
  constexpr bool lends = LendingStore<S>;
  static_assert(lends,
                "tessera: this store does not hold its values in memory and has none to lend: get(store, key, queue)");
  if constexpr (lends)
    return store.lend(key, range, on);
  else
    return std::nullopt;
} catch (Error& error) {
  error.in_key(key.path).in_store(name_of(store));
  throw;
}

}}  // namespace tessera::v0
