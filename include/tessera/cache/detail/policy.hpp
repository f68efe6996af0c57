// CacheBudget, cache policies and CacheStatistics: how much memory a cache uses, and which chunks it keeps where.
#pragma once
#include <concepts>
#include <cstdint>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 {

/// The most bytes of decoded chunks in each space. Reads and writes need more for chunks in progress: that memory is
/// the queue's scratch memory, and `ReadOptions::memory` limits it.
struct CacheBudget {
  std::uint64_t device = 0;  ///< for an array in device memory
  std::uint64_t host = 0;    ///< page-locked, in steps of 64 KiB, for such an array; otherwise ordinary host memory
};

/// Options for reading missing chunks and writing changed ones.
struct CacheOptions {
  ReadOptions read{};    ///< for chunks that the cache loads
  WriteOptions write{};  ///< for chunks that the cache writes back
};

/// A policy: `keeps<S>(chunk)` says whether the cache keeps an inner chunk in memory of space S while it is not held. A
/// chunk not kept on the device is the first to leave it; one not kept on the host is dropped instead of spilled, and
/// decoded anew.
///
/// Any thread may call the policy: a call of the cache that does not find all of its chunks in place asks about all of
/// them. Otherwise the last answer holds. An exception of the policy ends the call before it does anything. The policy,
/// like a read's progress function, may call `where`, `statistics` and `hold` for chunks in place; a call that would
/// move chunks throws Error. This policy keeps every chunk everywhere.
struct KeepEverywhere {
  template <MemorySpace S>
  static constexpr bool keeps(Extents const&) {
    return true;
  }
};

namespace detail {

template <class P>
consteval bool check_policy() {
  constexpr bool has_keeps = requires(P const& policy, Extents const& chunk) {
    { policy.template keeps<space::Host>(chunk) } -> std::convertible_to<bool>;
    { policy.template keeps<space::Device>(chunk) } -> std::convertible_to<bool>;
  };
  static_assert(has_keeps,
                "tessera: a cache policy needs a template 'keeps': keeps<space::Host>(chunk) and "
                "keeps<space::Device>(chunk), called with an Extents const&, return whether a chunk stays there");
  return has_keeps;
}

}  // namespace detail

/// The spaces in which a cache has a chunk: `on_device`, `on_host`, or both.
struct CachedPlaces {
  bool on_device = false, on_host = false;
};

/// A cache's counters since it was made, and its current contents.
struct CacheStatistics {
  std::uint64_t hits = 0;                          ///< chunks found in place
  std::uint64_t misses = 0;                        ///< chunks read from the store and decoded
  std::uint64_t returns = 0;                       ///< chunks copied from the host to the device on demand
  std::uint64_t shown = 0;                         ///< chunks copied from the device to the host on demand
  std::uint64_t spills = 0;                        ///< chunks copied to the host to make room on the device
  std::uint64_t forgotten = 0;                     ///< chunks dropped with their last copy
  std::uint64_t written = 0;                       ///< chunks written back
  std::uint64_t copies = 0;                        ///< copies by the cache across the bus; several chunks may share one
  std::uint64_t to_device = 0, to_host = 0;        ///< bytes of these copies
  std::uint64_t decoded = 0;                       ///< bytes of the chunks read, decoded
  std::uint64_t held = 0;                          ///< chunks held or placed now, in each space
  std::uint64_t dirty = 0;                         ///< chunks not written back yet
  std::uint64_t on_device = 0, on_host = 0;        ///< chunks there now
  std::uint64_t device_bytes = 0, host_bytes = 0;  ///< memory in use now, within the budget
};

}}  // namespace tessera::v0
