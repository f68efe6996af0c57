// Lz4Block: an LZ4 block (lz4_Block_format.md): sequences of a token, literals, and a match, which repeats decoded
// bytes.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct Lz4Block {
  /// One byte, as a literal.
  static constexpr unsigned char harmless[]{0x10, 0};

  static constexpr unsigned shortest_match = 4, offset_bytes = 2, last_literals = 5, no_match = 12;

  /// The state of a walk, between sequences.
  struct Walk {
    std::byte const* at;
    std::uint64_t left, decoded, matched;  ///< bytes: left from `at` on; decoded; before the last match
    bool is_first;

    TESSERA_HOST_DEVICE static Walk of(std::byte const* from, std::uint64_t size) { return {from, size, 0, 0, true}; }

    /// Walks one sequence. True: more follow. False: `found` describes the block.
    TESSERA_HOST_DEVICE bool step(FoundFrame& found) {
      auto const end = [&](FrameProblem problem) {
        found = {problem, 0, problem == FrameProblem::none ? decoded : FoundFrame::unsaid};
        return false;
      };
      if (left == 0) return end(FrameProblem::truncated);
      auto const token = byte();
      auto const literals = length(token >> 4);
      if (literals > left) return end(FrameProblem::truncated);
      skip(literals);
      decoded += literals;
      if (left == 0) {
        bool const is_sound =
            is_first ? literals != 0 || token == 0 : literals >= last_literals && decoded - matched >= no_match;
        return end(is_sound ? FrameProblem::none : FrameProblem::truncated);
      }
      if (left < offset_bytes) return end(FrameProblem::truncated);
      auto const low = byte(), offset = low | byte() << 8;
      if (offset == 0 || offset > decoded) return end(FrameProblem::outside);
      matched = decoded;
      decoded += shortest_match + length(token & 15);
      is_first = false;
      return true;
    }

    TESSERA_HOST_DEVICE void skip(std::uint64_t count) { at += count, left -= count; }

   private:
    TESSERA_HOST_DEVICE std::uint32_t byte() {
      auto const value = static_cast<std::uint32_t>(*at);
      skip(1);
      return value;
    }
    // 15 continues in the following bytes, up to one that is not 255. Where they end before that, nothing is left.
    TESSERA_HOST_DEVICE std::uint64_t length(std::uint32_t begun) {
      std::uint64_t sum = begun;
      for (std::uint32_t more = begun == 15 ? 255 : 0; more == 255 && left > 0;) sum += more = byte();
      return sum;
    }
  };

  /// Walks all sequences: nvCOMP's decoder leaves its memory where they are damaged. The last one has only literals,
  /// and no match begins in the last twelve decoded bytes, or reaches the last five. An empty block is a token, 0.
  TESSERA_HOST_DEVICE static FoundFrame walk(std::byte const* from, std::uint64_t size) {
    auto walk = Walk::of(from, size);
    FoundFrame found;
    while (walk.step(found)) {
    }
    return found;
  }
};

}  // namespace detail
}}  // namespace tessera::v0
