// ChunkRead: one chunk of a mini-batch being read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <tessera/core/detail/first_of.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/detail/runs.hpp>
#include <tessera/core/error.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/store/get.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class P>
struct ChunkRead {
  Piece piece;
  Key key;
  ByteRange wanted;  // of the decoded bytes
  ByteRange stored;  // of the chunk's stored bytes: those to read, whole unless they are known
  ByteRange range;   // of the key's value
  ByteView<typename P::bytes_space> encoded;
  bool found;
  bool is_placed;  // its elements are in the target
  std::optional<std::uint64_t> sequence;     // since when its shard must not change
  ByteSpan<typename P::array_space> direct;  // the user's memory, if the chunk can be decoded directly into it
  bool has_index;                            // of the stored bytes, first the index is read, then those that it says
  std::size_t index_at;                      // of the indexes being read
  std::uint64_t unread;                      // bytes of `encoded` that were not read
  bool is_tile;                              // one of several that a chunk is cut into
};

/// The consecutive chunks of each shard, for a loop.
template <class P>
auto runs_of_shard(std::span<ChunkRead<P>> chunks) {
  return runs_of_equal(
      chunks, [](ChunkRead<P> const& chunk) -> auto const& { return chunk.key.path; });
}

/// Whether only part of the chunk is decoded.
template <class P>
bool is_part(ChunkRead<P> const& slot, ResolvedChunk const& form) {
  return slot.wanted.size < form.decoded_size;
}

/// Called with chunks that are ready to be decoded and placed, while others travel; they follow each other. Sets
/// `is_placed`.
template <class P>
using PlaceReady = FunctionRef<void(std::span<ChunkRead<P>>)>;

/// A shard may be shorter than its index says. Throws: CodecError.
template <class P>
void expect_all(ChunkRead<P> const& slot) {
  if (slot.encoded.size != slot.range.size)
    throw CodecError{to_text({"the shard's index: found ", slot.range.size, " bytes from byte ", slot.range.offset,
                              " on, but the shard has only ", slot.encoded.size, " of them"})};
}

/// Runs f; adds the chunk to its errors.
template <class P, class F>
auto of_slot(ChunkAccess<P> const& source, ChunkRead<P> const& slot, F&& f) try {
  return f();
} catch (Error& error) {
  source.blame(error, slot.key, slot.piece.chunk);
  throw;
}

/// The chunk that a store's error concerns, if its range begins beyond the shard's end; the error names only the key.
template <class P>
ChunkRead<P> const* beyond_end(std::span<ChunkRead<P> const> slots, Error const& error) {
  auto const offset = error.range_beyond();
  if (!offset || !error.inner_chunk().empty()) return nullptr;
  auto const is_it = [&](auto const& slot) {
    return slot.found && slot.range.offset == *offset && slot.key.path == error.key();
  };
  return first_of(slots, is_it);
}

}}}  // namespace tessera::v0::detail
