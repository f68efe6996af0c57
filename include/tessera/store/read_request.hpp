// ReadRequest: one of many reads; and the primitive for all reads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/detail/runs.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/coalesce.hpp>
#include <tessera/store/value_watch.hpp>

namespace tessera { inline namespace v0 {

/// One of many reads: a `range` of the value of a `key`. `size` is the answer. The type depends on the space, not the
/// store: stores that wrap stores pass requests on. The destination's limits bound the size, and stop the read.
template <MemorySpace S>
struct ReadRequest {
  Key const* key;
  ByteRange range;
  Destination<S> destination;
  std::optional<std::size_t> size{};
  /// An allocation with destinations of several requests, so that one copy can fill adjacent ones. They begin at
  /// multiples of `alignment` bytes in it, and bytes from a destination's end to the next multiple may be overwritten.
  /// A destination outside it is separate memory.
  ByteSpan<S> slab{};
  std::size_t alignment = 1;
  /// Ranges of the key at most this many bytes apart should be read at once; nullopt: the store's default. Consecutive
  /// requests have the same limits.
  std::optional<std::uint64_t> max_gap{};
  std::uint64_t max_request_bytes =
      ~std::uint64_t{0};  ///< bytes of one read, gaps included, unless a single range has more

  /// The required size of the whole value, not visible in a range. nullopt: any.
  std::optional<std::uint64_t> value_size{};
  /// Of the key. A store that still has the watched value may read that one, even if the key has another now;
  /// `is_of_watch` tells whether it did. Consecutive requests for one key have the same.
  ValueWatch const* watch = nullptr;
  bool is_of_watch = false;
  /// The queue has no work that uses the slab: reads into it may precede earlier work.
  bool slab_is_idle = false;
  /// Set to a text that changes with the value, such as an ETag, if the store knows one of the value that it read.
  std::string* version = nullptr;
  /// A store that waits for many values may call it with `size`, in the thread of the call, once the destination has
  /// its bytes: the reader uses some of them while the other values travel, and returns whether it would use more if
  /// called again. It may throw.
  FunctionRef<bool(std::optional<std::size_t>)> const* arrived = nullptr;

  /// The range in a value of `total` bytes, for stores that know the size. Throws: StoreError.
  ByteRange::Resolved resolve(std::uint64_t total) const {
    if (value_size && *value_size != total)
      throw StoreError{to_text({"a value of ", total, " bytes, expected ", *value_size})};
    return range.resolve(total);
  }
  RangeLimits limits(std::uint64_t best_gap) const { return {max_gap.value_or(best_gap), max_request_bytes}; }
};

/// A store whose `get_many` fills a request's destination before it asks for the next, for requests of one key, in the
/// order of their ranges, with `max_request_bytes` 0. The bytes may be used then, and the same memory returned again.
/// All are of one value, even if it is replaced meanwhile.
template <class S>
concept ReadsInTurn = requires {
  requires S::reads_in_turn;
};

/// Runs of consecutive requests for one key, for a loop: where finding values is expensive.
template <MemorySpace S>
auto runs_of_key(std::span<ReadRequest<S>> requests) {
  return detail::runs_of_equal(
      requests, [](auto const& request) -> auto const& { return request.key->path; });
}

namespace detail {

// Reads, and names key and store in errors, which a user's store need not do.
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

/// Refuses a value of at least `found` bytes, beyond the reader's limit. Throws: the reader's exception, or else
/// StoreError.
template <MemorySpace S>
[[noreturn]] void refuse_size(Destination<S> const& reader, std::uint64_t found) {
  if (found <= ~std::size_t{0}) reader(static_cast<std::size_t>(found));
  throw StoreError{to_text({"a value of ", found, " bytes; expected at most ", reader.limits().most})};
}
template <MemorySpace S>
void expect_taken(Destination<S> const& reader, std::uint64_t found) {
  if (found > reader.limits().most) refuse_size(reader, found);
}

/// Throws: StoreError, if a store gave a value, but not into the destination that it asked for.
TESSERA_DECL void expect_given(std::optional<std::size_t> found, std::size_t destination, Key const& key);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/read_request.ipp>
#endif
