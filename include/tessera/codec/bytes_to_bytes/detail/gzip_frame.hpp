// GzipFrame: a chunk of gzip: one member (RFC 1952, 2.3).
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct GzipFrame {
  /// One byte, stored.
  static constexpr unsigned char harmless[]{0x1f, 0x8b, 8,    0, 0,    0,    0,    0,    0, 0xff, 1, 1,
                                            0,    0xfe, 0xff, 0, 0x8d, 0xef, 0x02, 0xd2, 1, 0,    0, 0};

  static constexpr std::uint64_t end = 8;  ///< bytes after the deflate stream: a checksum and a size

  /// Checks the header, and the room for a member's end. Only a decoder finds that end; the last four bytes state the
  /// content. Decoders get the whole member.
  TESSERA_HOST_DEVICE static FoundFrame walk(std::byte const* from, std::uint64_t size) {
    auto frame = walk_header(from, size);
    frame.payload = 0;
    return frame;
  }
  /// The same, with the beginning of the deflate stream.
  TESSERA_HOST_DEVICE static FoundFrame walk_header(std::byte const* from, std::uint64_t size) {
    constexpr std::uint64_t header = 10, least = header + 2 + end;  // an empty deflate stream
    constexpr unsigned has_crc = 2, has_extra = 4, has_name = 8, has_comment = 16, reserved = 0xe0;
    if (size < 3) return {FrameProblem::truncated};
    if (frame_integer(from, 3) != 0x088b1f) return {FrameProblem::unknown};
    if (size < least) return {FrameProblem::truncated};
    auto const flags = static_cast<unsigned>(from[3]);
    if (flags & reserved) return {FrameProblem::reserved};
    auto const past = size - (least - header);
    auto at = header;
    if (flags & has_extra) {
      if (past - at < 2) return {FrameProblem::truncated};
      auto const extra = 2 + frame_integer(from + at, 2);
      if (past - at < extra) return {FrameProblem::truncated};
      at += extra;
    }
    for (auto const text : {has_name, has_comment}) {  // zero-terminated
      if (!(flags & text)) continue;
      while (at < past && from[at] != std::byte{0}) ++at;
      if (at == past) return {FrameProblem::truncated};
      ++at;
    }
    if (flags & has_crc) {
      if (past - at < 2) return {FrameProblem::truncated};
      at += 2;
    }
    return {FrameProblem::none, at, frame_integer(from + size - 4, 4)};
  }
};

}  // namespace detail
}}  // namespace tessera::v0
