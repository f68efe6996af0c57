// Reading values, derived from a store's one primitive. A store that can do better has a member of the same name.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <tessera/store/concept.hpp>
#include <tessera/store/joined_reads.hpp>
#include <tessera/store/lend.hpp>
#include <tessera/store/read_request.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class S>
concept HasGetMany = requires(S const& store, std::span<ReadRequest<space_of<S>>> requests, queue_of<S>& on) {
  store.get_many(requests, on);
};

}  // namespace detail

/// A value as a buffer of the store's own type. nullopt: no such key.
template <class S>
std::optional<buffer_of<S>> get(S const& store, Key const& key, queue_of<S>& on, ByteRange range = {}) {
  constexpr bool is_made = AllocatableBuffer<buffer_of<S>>;
  static_assert(
      is_made,
      "tessera: this store's buffers are borrowed and cannot be made: get_into(store, key, memory, queue), or "
      "a store of other buffers, e.g. LocalStore<HostBuffer>");
  std::optional<buffer_of<S>> value;
  if constexpr (is_made) {
    auto destination = [&](std::size_t n) {
      value.emplace(n, on);
      return value->span();
    };
    if (!detail::read(store, key, range, destination, on)) return std::nullopt;
  }
  return value;
}

/// A value into the caller's memory, and its size. Throws: StoreError, if it is larger than that.
template <class S>
std::optional<std::size_t> get_into(S const& store, Key const& key, ByteSpan<space_of<S>> to, queue_of<S>& on,
                                    ByteRange range = {}) {
  auto destination = [&](std::size_t n) {
    if (n > to.size)
      throw StoreError{"a value of " + std::to_string(n) + " bytes does not fit into the " + std::to_string(to.size) +
                       " bytes given"};
    return to.sub(0, n);
  };
  return detail::read(store, key, range, destination, on);
}

/// Many values, in any order. Ranges of a key that lie close together are read at once, by the store if it has a
/// `get_many` of its own, else here, where their bytes are the host's. Rooms are asked by one thread at a time.
template <class S>
void get_many(S const& store, std::span<ReadRequest<space_of<S>>> requests, queue_of<S>& on) {
  if constexpr (detail::HasGetMany<S>) {
    store.get_many(requests, on);
  } else if constexpr (std::same_as<space_of<S>, space::Host> && !LendingStore<S>) {
    auto const joined = on.template lease<detail::JoinedReads>();
    for (auto const of_key : runs_of_key(requests)) joined->run(store, *of_key.front().key, of_key, on);
  } else {
    for (auto& request : requests)
      request.size = detail::read(store, *request.key, request.range, request.destination, on);
  }
}

/// Requests for another space than the store's are refused.
template <class S, class Requests>
requires(!std::convertible_to<Requests, std::span<ReadRequest<space_of<S>>>>) void get_many(S const&, Requests&&,
                                                                                            queue_of<S>&) {
  static_assert(sizeof(S) == 0,
                "tessera: these are no requests for this store: give a std::span<ReadRequest<space>> of the space that "
                "its buffers are in");
}

/// How many bytes a value has; nullopt: no such key. A store without a `size` of its own is asked to read, and stopped
/// when it asks for destination.
template <class S>
std::optional<std::uint64_t> size(S const& store, Key const& key, queue_of<S>& on) {
  if constexpr (requires {
                  { store.size(key, on) } -> std::same_as<std::optional<std::uint64_t>>;
                }) {
    return store.size(key, on);
  } else {
    struct Known {
      std::uint64_t size;
    };
    auto destination = [](std::size_t n) -> ByteSpan<space_of<S>> { throw Known{n}; };
    try {
      return detail::read(store, key, {}, destination, on);  // of a value that nobody gave room for: there is none
    } catch (Known const& known) {
      return known.size;
    }
  }
}

}}  // namespace tessera::v0
