// BloscChunk: a blosc chunk of a mini-batch, for kernels.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/align_frames.hpp>
#include <tessera/codec/bytes_to_bytes/detail/blosc_frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// A chunk, and where its blocks and streams begin in the lists of all chunks.
struct BloscChunk {
  BloscFrame frame;
  std::byte const* from;
  std::byte* decoded;  ///< where its streams are decoded to
  std::byte* slots;    ///< where its streams are copied to, if their decoder requires alignment
  std::uint64_t first_block, first_stream;

  TESSERA_HOST_DEVICE std::uint64_t slot() const { return aligned_size(frame.block / frame.splits); }  ///< bytes
};

/// The chunk of block or stream n: the last one that begins with it or before.
TESSERA_HOST_DEVICE inline std::uint64_t chunk_of(BloscChunk const* chunks, std::uint64_t count,
                                                  std::uint64_t BloscChunk::*first_of, std::uint64_t n) {
  std::uint64_t first = 0, left = count;
  while (left > 1) {
    auto const half = left / 2;
    if (chunks[first + half].*first_of <= n) {
      first += half;
      left -= half;
    } else {
      left = half;
    }
  }
  return first;
}

}  // namespace detail
}}  // namespace tessera::v0
