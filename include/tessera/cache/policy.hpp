// What a program decides of a cache: how much memory it takes, and which chunks it keeps where.
#pragma once
#include <concepts>
#include <cstdint>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/transfer/read_options.hpp>
#include <tessera/transfer/write_options.hpp>

namespace tessera { inline namespace v0 {

/// Bytes of decoded chunks, in each space at most. What reads and writes need beside the cache, for chunks on their
/// way, is the queue's, and `ReadOptions::memory` limits it.
struct CacheBudget {
  std::uint64_t device = 0;  ///< of an array in device memory
  std::uint64_t host = 0;    ///< page-locked, for such an array: in steps of 64 KiB; else ordinary host memory
};

/// How a cache reads what it lacks, and writes what changed.
struct CacheOptions {
  ReadOptions read{};
  WriteOptions write{};
};

/// A policy: `keeps<S>(chunk)` says whether the cache keeps an inner chunk in memory of space S when nobody holds it.
/// A chunk that is not kept on the device is the first to leave it; one that is not kept on the host is forgotten
/// where it would be spilled, and decoded anew.
///
/// It is asked by any thread, each time that a call does not find all of its chunks where it wants them, of all of
/// them; until then the last answer stands. What it throws ends the call, before it has done anything. There, as in
/// the function for a read's progress, the cache may be asked for what it has, `where`, `statistics`, a `hold` of
/// chunks that are there; what would move chunks is an Error. This one keeps every chunk everywhere.
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
                "tessera: the policy of a cache has a template 'keeps': keeps<space::Host>(chunk) and "
                "keeps<space::Device>(chunk), of an Extents const&, say whether a chunk stays there");
  return has_keeps;
}

}  // namespace detail

/// In which memories a cache has a chunk.
struct CachedPlaces {
  bool on_device = false, on_host = false;
};

/// What a cache did since it was made, and what it has now.
struct CacheStatistics {
  std::uint64_t hits = 0;       ///< chunks that were where they were wanted
  std::uint64_t misses = 0;     ///< chunks that were read from the store and decoded
  std::uint64_t returns = 0;    ///< chunks that were copied from the host to the device, because they were wanted there
  std::uint64_t shown = 0;      ///< chunks that were copied from the device, because they were wanted on the host
  std::uint64_t spills = 0;     ///< chunks that were copied to the host to make room on the device
  std::uint64_t forgotten = 0;  ///< chunks that nothing is kept of any more
  std::uint64_t written = 0;    ///< chunks that were written back
  std::uint64_t copies = 0;     ///< of the cache's own, across the bus: several chunks may share one
  std::uint64_t to_device = 0, to_host = 0;        ///< bytes that crossed in these copies
  std::uint64_t decoded = 0;                       ///< bytes of the chunks that were read, decoded
  std::uint64_t held = 0;                          ///< chunks that are held, or placed, now; in each space
  std::uint64_t dirty = 0;                         ///< chunks that are not written back yet
  std::uint64_t on_device = 0, on_host = 0;        ///< chunks that are there now
  std::uint64_t device_bytes = 0, host_bytes = 0;  ///< memory that is taken now: within the budget
};

}}  // namespace tessera::v0
