// An LZ4 block (lz4_Block_format.md): sequences of a token, literals, and a match, which repeats what was decoded
// before.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct Lz4Block {
  /// One byte, as a literal.
  static constexpr unsigned char harmless[]{0x10, 0};

  /// Goes through all sequences: nvCOMP's decoder leaves its memory where they are damaged. The last one has literals
  /// alone, and no match begins in the last twelve bytes that are decoded, or repeats to the last five. A block of no
  /// bytes is a token, 0.
  TESSERA_HOST_DEVICE static FoundFrame walk(std::byte const* from, std::uint64_t size) {
    constexpr std::uint64_t shortest_match = 4, offset_bytes = 2, last_literals = 5, no_match = 12;
    Reader reader{from, size};
    std::uint64_t decoded = 0, matched = 0;
    for (bool is_first = true;; is_first = false) {
      if (reader.left == 0) return {FrameProblem::truncated};
      auto const token = reader.byte();
      auto const literals = reader.length(token >> 4);
      if (literals > reader.left) return {FrameProblem::truncated};
      reader.skip(literals);
      decoded += literals;
      if (reader.left == 0) {
        bool const is_sound =
            is_first ? literals != 0 || token == 0 : literals >= last_literals && decoded - matched >= no_match;
        return {is_sound ? FrameProblem::none : FrameProblem::truncated, 0, decoded};
      }
      if (reader.left < offset_bytes) return {FrameProblem::truncated};
      auto const low = reader.byte(), offset = low | reader.byte() << 8;
      if (offset == 0 || offset > decoded) return {FrameProblem::outside};
      matched = decoded;
      decoded += shortest_match + reader.length(token & 15);
    }
  }

 private:
  struct Reader {
    std::byte const* at;
    std::uint64_t left;

    TESSERA_HOST_DEVICE void skip(std::uint64_t count) { at += count, left -= count; }
    TESSERA_HOST_DEVICE std::uint32_t byte() {
      auto const value = static_cast<std::uint32_t>(*at);
      skip(1);
      return value;
    }
    // 15 goes on in the bytes that follow, up to one that is not 255. Where they end before that, nothing is left.
    TESSERA_HOST_DEVICE std::uint64_t length(std::uint32_t begun) {
      std::uint64_t sum = begun;
      for (std::uint32_t more = begun == 15 ? 255 : 0; more == 255 && left > 0;) sum += more = byte();
      return sum;
    }
  };
};

}  // namespace detail
}}  // namespace tessera::v0
