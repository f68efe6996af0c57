// Lz4Frame: a chunk of numcodecs' lz4: its decoded size in four bytes, little-endian, then one LZ4 block
// (numcodecs.lz4).
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/lz4_block.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct Lz4Frame {
  static constexpr std::uint64_t header = 4;  ///< bytes

  static constexpr auto& harmless = Lz4Block::harmless;

  TESSERA_HOST_DEVICE static FoundFrame walk(std::byte const* from, std::uint64_t size) {
    if (size <= header) return {FrameProblem::truncated};
    return of_block(from, Lz4Block::walk(from + header, size - header));
  }
  /// The frame, by its block.
  TESSERA_HOST_DEVICE static FoundFrame of_block(std::byte const* from, FoundFrame block) {
    auto const said = frame_integer(from, header);
    if (block.problem == FrameProblem::none && block.content != said) block.problem = FrameProblem::another;
    block.payload = header, block.content = said;
    return block;
  }
};

}  // namespace detail
}}  // namespace tessera::v0
