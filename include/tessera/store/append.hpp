// Bytes behind a value, in place: for what is written bit by bit into values that are large.
#pragma once
#include <concepts>
#include <cstdint>

#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {

/// A store whose `append(key, bytes, size, on)` puts bytes behind the value of a key, which has `size` bytes, and
/// returns true. Bytes are read as `write` reads them. False: nothing was done, for the value has another size, is not
/// there, or is to be replaced as a whole; failure throws StoreError, and the value is as it was. Who appends holds the
/// key's lock. Unlike `write` it need not be done at once: who reads meanwhile may find some of the bytes, and so does
/// who comes after a process that was killed.
template <class S>
concept AppendableStore = WritableStore<S> &&
    requires(S const& s, Key const& k, ByteView<space_of<S>> bytes, std::uint64_t size, queue_of<S>& on) {
  { s.append(k, bytes, size, on) } -> std::same_as<bool>;
};

}}  // namespace tessera::v0
