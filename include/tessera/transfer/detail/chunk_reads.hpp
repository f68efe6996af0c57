// ChunkReads: the chunks of a mini-batch being read.
// wanted_bytes: the bytes of a chunk that a read needs, if a part can be decoded alone; and their arrangement in the
// target.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/key/key.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/chunk_read.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Of a chunk's decoded bytes: from the first element of a part to the last.
TESSERA_DECL ByteRange bytes_of(Layout const& layout, Extents const& steps, Part const& part);

/// From the first needed element to the last; from byte 0, if a codec decodes in order. The whole chunk, if it must be
/// decoded, or if too little is saved: the usual gap or less; or, where all stored bytes are read, less than half of
/// the chunk, or an eighth if a codec decodes in order.
TESSERA_DECL ByteRange wanted_bytes(ResolvedChunk const& form, Plan const& plan, Piece const& piece);

/// Whether these decoded bytes are exactly a part, with the same arrangement in the target.
inline bool is_contiguous(Layout const& layout, Part const& part, std::size_t bytes, Strides const& target) {
  std::uint64_t size = layout.item_size;
  for (std::size_t d = 0; d < target.rank(); ++d) {
    if (part.count[d] != 1 && layout.strides[d] != target[d]) return false;
    size *= part.count[d];
  }
  return layout.swapped == 1 && size == bytes;
}

/// How to cut a part larger than the cache: `count` indices along a dimension are read and placed before the next.
struct Tiles {
  std::size_t dimension;
  std::uint64_t count;
};

/// nullopt: it is small, or each tile would be scattered over the target, a few bytes at each place.
TESSERA_DECL std::optional<Tiles> tiles_of(Layout const& layout, Extents const& steps, Part const& part,
                                     Strides const& target);

/// Their memory is reused.
template <class P>
class ChunkReads {
  using Source = ChunkAccess<P>;

 public:
  void clear() { used_ = 0; }

  /// Adds a piece of a plan; `in_parts`: a part of the chunk may be decoded alone. The caller sets `direct`; locating
  /// and fetching set their own members later.
  ChunkRead<P>& add(Source const& source, Plan const& plan, Piece const& piece, bool in_parts) {
    if (chunks_.size() == used_) chunks_.emplace_back();
    auto& chunk = chunks_[used_++];
    chunk.piece = piece;
    chunk.is_tile = chunk.is_placed = false;
    // Lent values cost nothing; ranges joined to one request would become one request per chunk.
    bool const may_be_range = !source.lends() && !(source.joins() && source.shards);
    bool const may_be_part = in_parts && (may_be_range || !source.form.stores_elements);
    chunk.wanted = may_be_part ? wanted_bytes(source.form, plan, piece) : ByteRange{0, source.form.decoded_size};
    bool const is_range = may_be_range && source.form.stores_ranges && is_part(chunk, source.form);
    chunk.stored = !is_range                    ? ByteRange{}
                   : source.form.stores_elements ? chunk.wanted
                                                 : source.pipeline.stored_range(source.form, chunk.wanted);
    chunk.has_index = may_be_range && source.reads_indexes() && is_part(chunk, source.form);
    source.names.put_key(chunk.key, piece.chunk);
    return chunk;
  }

  /// Cuts the only chunk into tiles, which reuse the same memory.
  void cut(Source const& source, Tiles const& tiles, Extents const& steps) {
    auto const whole = chunks_[0].piece;
    auto const d = tiles.dimension;
    for (std::uint64_t at = 0; at < whole.part.count[d]; at += tiles.count) {
      if (used_ == chunks_.size()) chunks_.emplace_back();
      auto& tile = chunks_[at == 0 ? 0 : used_++];
      tile.piece = whole;
      tile.key.path = chunks_[0].key.path;
      tile.direct = {};
      tile.is_tile = true;
      tile.is_placed = false;
      tile.has_index = false;
      auto& part = tile.piece.part;
      part.first[d] += at * steps[d];
      part.target[d] += at;
      part.count[d] = std::min(tiles.count, part.count[d] - at);
      tile.wanted = bytes_of(source.form.layout, steps, part);
      tile.stored = is_part(tile, source.form) ? tile.wanted : ByteRange{};
    }
  }

  std::span<ChunkRead<P>> all() { return {chunks_.data(), used_}; }
  ChunkRead<P> const& operator[](std::size_t i) const { return chunks_[i]; }
  std::size_t size() const { return used_; }

 private:
  std::vector<ChunkRead<P>> chunks_;
  std::size_t used_ = 0;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/chunk_reads.ipp>
#endif
