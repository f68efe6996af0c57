// ZlibFrame: a chunk of numcodecs' zlib: one zlib stream (RFC 1950, 2.2): two bytes, a deflate stream, and a checksum.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct ZlibFrame {
  static constexpr std::uint64_t header = 2, checksum = 4;  ///< bytes

  /// One byte, stored.
  static constexpr unsigned char harmless[]{0x78, 1, 1, 1, 0, 0xfe, 0xff, 0, 0, 1, 0, 1};

  /// Checks the header, and the room for an empty deflate stream and the checksum. Only a decoder finds the stream's
  /// end.
  TESSERA_HOST_DEVICE static FoundFrame walk(std::byte const* from, std::uint64_t size) {
    constexpr unsigned deflate = 8, has_dictionary = 0x20;
    if (size < header) return {FrameProblem::truncated};
    auto const method = static_cast<unsigned>(from[0]), flags = static_cast<unsigned>(from[1]);
    if ((method & 15) != deflate || method >> 4 > 7 || (method << 8 | flags) % 31 != 0) return {FrameProblem::unknown};
    if (flags & has_dictionary) return {FrameProblem::dictionary};
    if (size < header + 2 + checksum) return {FrameProblem::truncated};
    return {FrameProblem::none, header, FoundFrame::unsaid, checksum};
  }
};

}  // namespace detail
}}  // namespace tessera::v0
