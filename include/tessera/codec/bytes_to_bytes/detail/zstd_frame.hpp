// ZstdFrame: a chunk compressed by zstd: one frame (RFC 8878, 3.1.1), walked block by block.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct ZstdFrame {
  /// One frame of one byte.
  static constexpr unsigned char harmless[]{0x28, 0xb5, 0x2f, 0xfd, 0x20, 1, 9, 0, 0, 0};

  /// Checks the header, and that the blocks end where the bytes end. Compressed blocks are not checked.
  TESSERA_HOST_DEVICE static FoundFrame walk(std::byte const* from, std::uint64_t size) {
    constexpr std::uint64_t magic = 0xfd2fb528, most_of_block = 128 << 10;
    if (size < 4) return {FrameProblem::truncated};
    if (frame_integer(from, 4) != magic) return {FrameProblem::unknown};
    if (size < 5) return {FrameProblem::truncated};

    auto const descriptor = static_cast<unsigned>(from[4]);
    bool const is_single = descriptor & 0x20, has_checksum = descriptor & 4;
    if (descriptor & 8) return {FrameProblem::reserved};
    unsigned const dictionary = (descriptor & 3) == 3 ? 4 : descriptor & 3;
    unsigned const of_content = descriptor >> 6 ? 1u << (descriptor >> 6) : is_single;
    std::uint64_t at = 5 + !is_single;  // after the window's size
    if (size < at + dictionary + of_content) return {FrameProblem::truncated};
    if (frame_integer(from + at, dictionary) != 0) return {FrameProblem::dictionary};
    at += dictionary;
    auto const content =
        of_content == 0 ? FoundFrame::unsaid : frame_integer(from + at, of_content) + (of_content == 2 ? 256 : 0);
    at += of_content;

    for (bool is_last = false; !is_last;) {
      if (size - at < 3) return {FrameProblem::truncated};
      auto const block = frame_integer(from + at, 3);
      at += 3;
      is_last = block & 1;
      auto const type = block >> 1 & 3, of_block = block >> 3;
      if (type == 3 || of_block > most_of_block) return {FrameProblem::reserved};
      auto const stored = type == 1 ? 1 : of_block;  // one byte, repeated
      if (size - at < stored) return {FrameProblem::truncated};
      at += stored;
    }
    if (has_checksum) {
      if (size - at < 4) return {FrameProblem::truncated};
      at += 4;
    }
    if (at != size) return {FrameProblem::followed};
    return {FrameProblem::none, 0, content};
  }
};

}  // namespace detail
}}  // namespace tessera::v0
