// lend: reads values in a store's memory, without a copy. lend_many, for many values: a store that can do better than
// one after the other has a member of the same name.
#pragma once
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {

/// The `bytes` in a store's memory, and their owner. They stay unchanged while it lives, even if the key is written or
/// the store destroyed. Hold the owner until a queue's work with them is done: `on.keep(lent.owner)`.
template <MemorySpace S>
struct Lent {
  ByteView<S> bytes;
  std::shared_ptr<void const> owner;
};

/// A store that holds its values in memory. The bytes from `lend` may be used in the queue's order; nullopt: no such
/// key.
template <class S>
concept LendingStore = ReadableStore<S> && requires(S const& s, Key const& k, ByteRange r, queue_of<S>& on) {
  { s.lend(k, r, on) } -> std::same_as<std::optional<Lent<space_of<S>>>>;
};

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

/// One of many values: `key`, and a `range` of it. `lent` is the answer; nullopt: no such key. `max_gap` and
/// `max_request_bytes` are those of ReadRequest, for stores that read first.
template <MemorySpace S>
struct LendRequest {
  Key const* key;
  ByteRange range;
  std::optional<std::uint64_t> max_gap{};
  std::uint64_t max_request_bytes = ~std::uint64_t{0};
  std::optional<Lent<S>> lent{};
  ReadLimits limits{};  ///< as for a destination
};

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
