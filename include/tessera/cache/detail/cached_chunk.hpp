// CachedChunk: the copies, holds and dirty state of one chunk in a cache.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/cache/detail/least_recently_used.hpp>
#include <tessera/cache/detail/queue_order.hpp>
#include <tessera/cache/detail/slots.hpp>
#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A chunk's index in the grid of inner chunks.
template <std::size_t Rank>
struct ChunkNumber {
  std::array<std::uint64_t, Rank> place{};
  friend bool operator==(ChunkNumber const&, ChunkNumber const&) = default;

  Extents extents() const { return Extents{place}; }
  struct Hash {
    std::size_t operator()(ChunkNumber const& number) const {
      std::uint64_t hash = 0;
      for (auto n : number.place) hash = (hash ^ n) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
      return static_cast<std::size_t>(hash);
    }
  };
};

/// The memories in which a chunk is kept while it is not held.
struct KeptIn {
  bool near = true, host = true;
};

/// A wanted chunk, and the policy's answer for it.
template <std::size_t Rank>
struct WantedChunk {
  ChunkNumber<Rank> number;
  KeptIn kept{};
};

/// Does not move. If there are two copies, they have the same elements.
template <std::size_t Rank>
struct CachedChunk {
  /// The chunk's elements in one space.
  struct Copy : UseLink {
    CachedChunk* of = nullptr;
    Slot slot{};
    std::byte* data = nullptr;  ///< null: no copy
    bool is_there = false;      ///< has its elements; false while it is made or evicted
    bool is_placed = false;     ///< held until placed elsewhere
    std::uint32_t holds = 0;    ///< 0: linked by its use, if it is there
    QueuePlace ready = 0;
  };

  explicit CachedChunk(ChunkNumber<Rank> const& n) : number{n} {
    for (auto& copy : copies) copy.of = this;
  }
  CachedChunk(CachedChunk const&) = delete;
  CachedChunk& operator=(CachedChunk const&) = delete;

  std::uint32_t holds() const { return copies[0].holds + copies[1].holds; }
  bool is_cut() const { return uncut != shape; }  ///< a resize cut elements off
  bool is_nowhere() const { return !copies[0].data && !copies[1].data; }

  ChunkNumber<Rank> const number;
  KeptIn kept{};
  std::uint64_t shape_version = 0;          ///< CacheState::shape_version when the shape was last checked; 0: never
  std::array<std::uint64_t, Rank> shape{};  ///< of the part inside the array
  std::array<std::uint64_t, Rank> uncut{};  ///< of the part that was inside the array ever since
  Copy copies[2];                           ///< [0] in the array's space; [1] page-locked, for an array on the device
  std::uint64_t users = 0;                  ///< queues that may still use copies[0]
  bool is_written = false;                  ///< held for writing
  bool is_dirty = false;                    ///< the store lacks the elements of the copies
};

}}}  // namespace tessera::v0::detail
