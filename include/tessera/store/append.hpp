// AppendableStore: appends to values in place, for large values written piece by piece.
#pragma once
#include <concepts>
#include <cstdint>

#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {

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

}}  // namespace tessera::v0
