// ReadRequest, WriteRequest, LendRequest, Lent: what the optional members of a store get, and what they lend.
// ReadsInTurn, LendingStore, AppendableStore: stores with such members.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/coalesce.hpp>
#include <tessera/store/detail/value_watch.hpp>

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

  /// The required size of the whole value, for reads of a range. nullopt: any size.
  std::optional<std::uint64_t> value_size{};
  /// A watch of the key, or null. A store that still has the watched value may read that one, even if the key has
  /// another now; `is_of_watch` tells whether it did. Consecutive requests for one key have the same watch.
  ValueWatch const* watch = nullptr;
  bool is_of_watch = false;
  /// The queue has no work that uses the slab, so reads into it need not wait for earlier work.
  bool slab_is_idle = false;
  /// If not null: set to a text that changes with the value, such as an ETag, if the store knows it for the value that
  /// it read.
  std::string* version = nullptr;
  /// A store of host bytes that waits for many values may call it with `size`, in the thread of the call, when the
  /// destination has its bytes: the reader uses some of them while the other values arrive, and returns whether it
  /// would use more if called again. It may throw.
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

/// One of many writes: the whole value of a key. `slab` is an allocation with values of several requests, so that one
/// copy can move adjacent ones; a value outside it is separate memory.
template <MemorySpace S>
struct WriteRequest {
  Key const* key;
  ByteView<S> value;
  ByteView<S> slab{};
  Stop stop = nullptr;  ///< ends the wait for the key's lock: throws Cancelled
};

/// A store whose `append(key, bytes, size, on)` appends bytes to a value of `size` bytes and returns true. Bytes are
/// read as `write` reads them. False: nothing was done, because the value has another size, is missing or must be
/// replaced as a whole. Failure throws StoreError and leaves the value unchanged. Requires: the caller holds the key's
/// lock. Unlike `write` it need not be atomic: a reader meanwhile, or after the process was killed, may find some of
/// the bytes.
template <class S>
concept AppendableStore = WritableStore<S> &&
    requires(S const& s, Key const& k, ByteView<space_of<S>> bytes, std::uint64_t size, queue_of<S>& on) {
  { s.append(k, bytes, size, on) } -> std::same_as<bool>;
};

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

}}  // namespace tessera::v0
