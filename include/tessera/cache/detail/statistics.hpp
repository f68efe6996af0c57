// statistics_of and places_of: a cache's counters, and the spaces that have a chunk.
#pragma once
#include <algorithm>
#include <mutex>

#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/cache/detail/policy.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// For any thread, at any time.
template <class State>
CacheStatistics statistics_of(State& s) {
  std::lock_guard lock{s.book};
  auto result = s.counted;
  for (auto const& [number, chunk] : s.chunks) {
    result.dirty += chunk->is_dirty;
    (State::has_device ? result.on_device : result.on_host) += chunk->copies[0].is_there;
    result.on_host += chunk->copies[1].is_there;
  }
  (State::has_device ? result.device_bytes : result.host_bytes) = s.near.bytes();
  if (State::has_device) result.host_bytes = s.host.bytes();
  return result;
}

/// The spaces that have an inner chunk. Throws: SelectionError, if its index has another number of dimensions.
template <class State>
CachedPlaces places_of(State& s, Extents const& chunk) {
  if (chunk.rank() != State::rank)
    throw s.named(SelectionError{to_text({"the index of a chunk: found ", to_string(chunk), ", expected ", State::rank,
                                          " numbers, one for each dimension"})});
  typename State::Number number;
  std::copy_n(chunk.begin(), State::rank, number.place.begin());
  std::lock_guard lock{s.book};
  auto const found = s.chunks.find(number);
  if (found == s.chunks.end()) return {};
  auto const& copies = found->second->copies;
  if constexpr (State::has_device) return {copies[0].is_there, copies[1].is_there};
  return {false, copies[0].is_there};
}

}}}  // namespace tessera::v0::detail
