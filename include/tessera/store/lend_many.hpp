// lend_many, for many values. A store that can do better than one after the other has a member of the same name.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include <tessera/store/concept.hpp>
#include <tessera/store/lend.hpp>

namespace tessera { inline namespace v0 {

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
