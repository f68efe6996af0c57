// get_value, get_into, get_many, value_size: functions that read from any store by its `read`, or by a faster member if
// the store has one.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <tessera/store/concept.hpp>
#include <tessera/store/detail/joined_reads.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/detail/requests.hpp>  // IWYU pragma: export
#include <tessera/store/detail/value_watch.hpp>  // IWYU pragma: export

namespace tessera { inline namespace v0 {
namespace detail {

template <class S>
concept HasGetMany = requires(S const& store, std::span<ReadRequest<space_of<S>>> requests, queue_of<S>& on) {
  store.get_many(requests, on);
};

}  // namespace detail

/// A value in a buffer of the store's own type. nullopt: no such key.
template <class S>
std::optional<buffer_of<S>> get_value(S const& store, Key const& key, queue_of<S>& on, ByteRange range = {}) {
  constexpr bool is_made = AllocatableBuffer<buffer_of<S>>;
  static_assert(
      is_made,
      "tessera: this store's buffers are borrowed and cannot be allocated: call get_into(store, key, memory, queue), "
      "or use a store of other buffers, e.g. LocalStore<HostBuffer>");
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
template <class S>
[[deprecated("tessera: get was renamed get_value")]] auto get(S const& store, Key const& key, queue_of<S>& on,
                                                              ByteRange range = {}) {
  return get_value(store, key, on, range);
}

/// Reads a value into the caller's memory; returns its size. Throws: StoreError, if it is larger.
template <class S>
std::optional<std::size_t> get_into(S const& store, Key const& key, ByteSpan<space_of<S>> to, queue_of<S>& on,
                                    ByteRange range = {}) {
  auto destination = [&](std::size_t n) {
    if (n > to.size)
      throw StoreError{"a value of " + std::to_string(n) + " bytes does not fit into the " + std::to_string(to.size) +
                       " bytes given"};
    return to.sub(0, n);
  };
  return detail::read<S>(store, key, range, {destination, ReadLimits{to.size}}, on);
}

/// Reads many values, in any order. Neighbouring ranges of a key are read together: by the store's `get_many`, if it
/// has one, and otherwise here, if the bytes are in host memory. Only one thread at a time calls the destinations.
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

/// Refuses requests for another space than the store's.
template <class S, class Requests>
requires(!std::convertible_to<Requests, std::span<ReadRequest<space_of<S>>>>) void get_many(S const&, Requests&&,
                                                                                            queue_of<S>&) {
  static_assert(sizeof(S) == 0,
                "tessera: these requests do not fit this store: pass a std::span<ReadRequest<space>> of the space that "
                "its buffers are in");
}

/// The size of a value in bytes; nullopt: no such key. For a store without a `size` member, `read` is called, and
/// stopped when it calls the destination.
template <class S>
std::optional<std::uint64_t> value_size(S const& store, Key const& key, queue_of<S>& on) {
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
      return detail::read(store, key, {}, destination, on);  // returned without asking for memory: the key is missing
    } catch (Known const& known) {
      return known.size;
    }
  }
}
template <class S>
[[deprecated("tessera: size was renamed value_size")]] std::optional<std::uint64_t> size(S const& store, Key const& key,
                                                                                         queue_of<S>& on) {
  return value_size(store, key, on);
}

}}  // namespace tessera::v0
