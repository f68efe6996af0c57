// A chunk of numcodecs' lz4: its decoded size in four bytes, little-endian, then one LZ4 block (numcodecs.lz4).
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct Lz4Frame {
  static constexpr std::uint64_t header = 4;  ///< bytes

  /// One byte, as a literal.
  static constexpr unsigned char harmless[]{0x10, 0};

  TESSERA_HOST_DEVICE static FoundFrame walk(std::byte const* from, std::uint64_t size) {
    if (size <= header) return {FrameProblem::truncated};
    return {FrameProblem::none, header, frame_integer(from, header)};
  }
};

}  // namespace detail
}}  // namespace tessera::v0
