// What a cache knows of one chunk: where its elements are, who has them, and whether the store has them too.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

#include <tessera/cache/least_recently_used.hpp>
#include <tessera/cache/queue_order.hpp>
#include <tessera/cache/slots.hpp>
#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A chunk's place in the grid of inner chunks.
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

/// In which memories a chunk is kept when nobody holds it.
struct KeptIn {
  bool near = true, host = true;
};

/// A chunk that somebody wants, and what the policy says of it.
template <std::size_t Rank>
struct WantedChunk {
  ChunkNumber<Rank> number;
  KeptIn kept{};
};

/// Does not move. What its copies have of it is the same, wherever there are two.
template <std::size_t Rank>
struct CachedChunk {
  /// Of its elements, in memory of one space.
  struct Copy : UseLink {
    CachedChunk* of = nullptr;
    Slot slot{};
    std::byte* data = nullptr;  ///< null: there is none
    bool is_there = false;      ///< with its elements; not, while it is made or taken away
    bool is_placed = false;     ///< is held until it is placed elsewhere
    std::uint32_t holds = 0;    ///< none: it is linked by its use, if it is there
    QueuePlace ready = 0;
  };

  explicit CachedChunk(ChunkNumber<Rank> const& n) : number{n} {
    for (auto& copy : copies) copy.of = this;
  }
  CachedChunk(CachedChunk const&) = delete;
  CachedChunk& operator=(CachedChunk const&) = delete;

  std::uint32_t holds() const { return copies[0].holds + copies[1].holds; }
  bool is_nowhere() const { return !copies[0].data && !copies[1].data; }

  ChunkNumber<Rank> const number;
  KeptIn kept{};
  std::uint64_t shape_version = 0;          ///< CacheState::shape_version, when its shape was looked at
  std::array<std::uint64_t, Rank> shape{};  ///< of that which lies in the array
  bool is_cut = false;                      ///< the array had less of it meanwhile
  Copy copies[2];                           ///< in the array's space; for an array on the device, in page-locked memory
  std::uint64_t users = 0;                  ///< queues that may still use the first one
  bool is_written = false;                  ///< is held by somebody who changes it
  bool is_dirty = false;                    ///< the store has not what the copies have
};

}}}  // namespace tessera::v0::detail
