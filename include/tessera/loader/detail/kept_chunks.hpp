// KeptChunks: which decoded chunks stay in memory from one batch to the next.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A chunk of a batch.
struct NumberedChunk {
  std::uint64_t number;  ///< in the grid of all chunks
  std::size_t index;     ///< in the batch's list
};

/// Belady's rule (1966), for the batches that are known, and with the choice not to keep a chunk at all: of the chunks
/// that are there and those of the batch, those that are needed soonest are kept. Of those that no known batch needs,
/// the least recently used go first. Knows numbers and slots, not the memory. Lists are sorted by the chunks' numbers,
/// each of which is there once.
class KeptChunks {
 public:
  static constexpr std::size_t none = ~std::size_t{0};

  /// `slots`: how many chunks there is memory for.
  explicit KeptChunks(std::size_t slots) : slots_{slots} {}

  /// For each batch: first its chunks; then those of later batches, the last one first; then the decision.
  TESSERA_DECL void begin(std::span<NumberedChunk const> wanted);
  TESSERA_DECL void need_later(std::span<NumberedChunk const> wanted);
  TESSERA_DECL void decide();

  struct Place {
    std::size_t index;  ///< of the chunk, in the batch's list
    std::size_t slot;   ///< where it is, or will be kept; none: it is not kept
  };
  /// Chunks of the batch that are in memory. Their slots are free for the missing ones afterwards.
  std::span<Place const> hits() const { return hits_; }
  /// The others, in the batch's order.
  std::span<Place const> missing() const { return missing_; }
  /// The missing ones could not be read: none of them is kept.
  TESSERA_DECL void forget_missing();

  std::size_t size() const { return kept_.size(); }  ///< chunks that are kept

 private:
  struct Chunk {
    std::uint64_t number, used;  // used: the last batch that wanted it
    std::uint64_t needed;        // how soon: larger is sooner; 0: unknown
    std::size_t slot, index;     // index: in the batch; none: the batch does not want it
    bool is_missing;
  };
  static bool is_better(Chunk const& a, Chunk const& b);
  void add(Chunk chunk);
  std::size_t free_slot();

  std::size_t const slots_;
  std::size_t fresh_ = 0;  // slots that were never used are those from here on
  std::uint64_t batch_ = 0, later_ = 0;
  std::vector<std::size_t> free_{}, order_{};
  std::vector<Chunk> kept_{}, known_{};
  std::vector<Place> hits_{}, missing_{};
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/loader/detail/kept_chunks.ipp>
#endif
