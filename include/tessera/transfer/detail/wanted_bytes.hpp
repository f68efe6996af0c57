// wanted_bytes: the bytes of a chunk that a read needs, if elements are stored unencoded; and their arrangement in the
// target.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>

#include <tessera/core/config.hpp>
#include <tessera/key/key.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/view/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Of a chunk's decoded bytes: from the first element of a part to the last.
TESSERA_DECL ByteRange bytes_of(Layout const& layout, Extents const& steps, Part const& part);

/// From the first needed element to the last. The whole chunk, if it must be decoded, or if the saving is no more than
/// the usual gap.
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

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/wanted_bytes.ipp>
#endif
