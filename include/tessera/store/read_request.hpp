// One read of many, and the primitive that all of them come down to.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <tessera/core/error.hpp>
#include <tessera/core/runs.hpp>
#include <tessera/core/text.hpp>
#include <tessera/store/coalesce.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 {

/// One of many reads. `size` is the answer. Its type is of the space, not of the store: stores that hold stores hand
/// requests on.
template <MemorySpace S>
struct ReadRequest {
  Key const* key;
  ByteRange range;
  Destination<S> destination;
  std::optional<std::size_t> size{};
  /// An allocation that destinations of several requests are cut out of, so that one copy may take those that follow
  /// each other. They begin at multiples of `alignment` bytes in it, and what lies between a destination's end and the
  /// next multiple may be written to as well. A destination that is not in it is memory of its own.
  ByteSpan<S> slab{};
  std::size_t alignment = 1;
  /// Ranges of the key that are so many bytes apart, at most, are better read at once; nullopt: what the store is best
  /// asked for. Requests that follow each other have the same limits.
  std::optional<std::uint64_t> max_gap{};
  std::uint64_t max_request_bytes =
      ~std::uint64_t{0};  ///< bytes, and the gaps between them; a single range may have more

  /// How many bytes the whole value must have: of a range alone nobody sees it. nullopt: any.
  std::optional<std::uint64_t> value_size{};
  /// Of the key. A store that has the watched value still may read that one, whatever the key has now; `is_of_watch`
  /// says whether it did. Requests for one key that follow each other have the same.
  ValueWatch const* watch = nullptr;
  bool is_of_watch = false;
  /// The queue was given nothing that uses the slab: what is read into it may come before what the queue was given.
  bool slab_is_idle = false;

  /// The range, in a value of so many bytes: for stores that see how many there are. Throws: StoreError.
  ByteRange::Resolved resolve(std::uint64_t total) const {
    if (value_size && *value_size != total)
      throw StoreError{text({"a value of ", total, " bytes, expected ", *value_size})};
    return range.resolve(total);
  }
  RangeLimits limits(std::uint64_t best_gap) const { return {max_gap.value_or(best_gap), max_request_bytes}; }
};

/// A store whose `get_many` fills the destination of a request before it asks for the next one's, if they are for one
/// key, in the order of their ranges, and `max_request_bytes` is 0. Who gives the destination can use the bytes then,
/// and give it again. All of them are of one value, even if somebody replaces it meanwhile.
template <class S>
concept ReadsInTurn = requires {
  requires S::reads_in_turn;
};

/// The requests of each key that follow each other, for a loop: for stores whose values are dear to find.
template <MemorySpace S>
auto runs_of_key(std::span<ReadRequest<S>> requests) {
  return detail::runs_of_equal(
      requests, [](auto const& request) -> auto const& { return request.key->path; });
}

namespace detail {

// Reads, and names what a store of a user's own need not name.
template <class S>
std::optional<std::size_t> read(S const& store, Key const& key, ByteRange range, Destination<space_of<S>> destination,
                                queue_of<S>& on) try {
  if constexpr (check_store<S>())
    return store.read(key, range, destination, on);
  else
    return std::nullopt;
} catch (Error& error) {
  error.in_key(key.path).in_store(name_of(store));
  throw;
}

/// Throws: StoreError, if a store gave a value, but not into the destination that it asked for: those bytes are
/// nobody's.
inline void expect_given(std::optional<std::size_t> found, std::size_t destination, Key const& key) {
  if (found && *found != destination)
    throw StoreError{text({"the store gave ", *found, " bytes and asked for room for ", destination})}.in_key(key.path);
}

}  // namespace detail
}}  // namespace tessera::v0
