// The primitive for all reads, and what stores do with a ReadRequest.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/runs.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/requests.hpp>

namespace tessera { inline namespace v0 {

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
