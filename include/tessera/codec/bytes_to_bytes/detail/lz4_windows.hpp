// WalkLz4Windows: LZ4 blocks walked by many device threads, a window at a time.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/lz4_block.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// A kernel (memory/launch.cuh). A sequence determines where the next one begins, so one thread follows them; but first
/// all threads note, for all places of the window, the sequence that would begin there, although few places begin one.
/// `listed(i)` returns the beginning and size of block i; `found(i, frame)` receives the result.
template <class Blocks>
struct WalkLz4Windows {
  static constexpr unsigned threads = 32, phases = 4, repeated = 1;
  static constexpr unsigned window = 1024, beyond = 64;  // bytes: of tokens; after the last token

  struct Shared {
    Lz4Block::Walk walk;
    bool goes_on;
    unsigned size;  // of `bytes`
    unsigned char bytes[window + beyond];
    std::uint32_t notes[window];
  };

  Blocks blocks;

  TESSERA_HOST_DEVICE bool goes_on(std::uint64_t, Shared const& shared) const { return shared.goes_on; }

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    if constexpr (Phase == 0) {
      if (thread == 0) shared.walk = blocks.listed(block);
    } else if constexpr (Phase == 1) {
      auto const size = static_cast<unsigned>(shared.walk.left < window + beyond ? shared.walk.left : window + beyond);
      for (unsigned i = thread; i < size; i += threads) shared.bytes[i] = static_cast<unsigned char>(shared.walk.at[i]);
      if (thread == 0) shared.size = size;
    } else if constexpr (Phase == 2) {
      for (unsigned i = thread; i + beyond < shared.size; i += threads) shared.notes[i] = Note::of(shared.bytes + i);
    } else if (thread == 0) {
      FoundFrame frame;
      shared.goes_on = follow(shared, frame);
      if (!shared.goes_on) blocks.found(block, frame);
    }
  }

 private:
  // A sequence in 32 bits; 0: a length is too long, or the offset is 0.
  struct Note {
    static constexpr unsigned most_literals = 40, most_match = 127;

    std::uint32_t bits;

    TESSERA_HOST_DEVICE unsigned next() const { return bits & 63; }      // bytes from its token to the next one
    TESSERA_HOST_DEVICE unsigned extra() const { return bits >> 6 & 3; }  // bytes among them that continue lengths
    TESSERA_HOST_DEVICE unsigned literals() const { return next() - extra() - 1 - Lz4Block::offset_bytes; }
    TESSERA_HOST_DEVICE unsigned match() const { return bits >> 8 & 127; }  // beyond the shortest match
    TESSERA_HOST_DEVICE unsigned offset() const { return bits >> 16; }

    TESSERA_HOST_DEVICE static std::uint32_t of(unsigned char const* token) {
      auto const* at = token + 1;
      unsigned literals = *token >> 4u, match = *token & 15u, extra = 0;
      if (literals == 15) literals += *at++, ++extra;
      if (literals > most_literals) return 0;
      at += literals;
      auto const offset = at[0] | static_cast<unsigned>(at[1]) << 8;
      at += Lz4Block::offset_bytes;
      if (match == 15) match += *at++, ++extra;
      if (match > most_match || offset == 0) return 0;
      return static_cast<unsigned>(at - token) | extra << 6 | match << 8 | offset << 16;
    }
  };
  static_assert(1 + 1 + Note::most_literals + Lz4Block::offset_bytes + 1 < beyond);

  // Walks the sequences that begin in the window, byte by byte where a note is missing or wrong. A window no longer
  // than `beyond` has no notes, and ends with the block. True: more follow.
  TESSERA_HOST_DEVICE static bool follow(Shared& shared, FoundFrame& found) {
    auto walk = shared.walk;
    auto const all = walk.left;
    bool const is_last = shared.size <= beyond;
    unsigned const places = is_last ? 0 : shared.size - beyond;
    bool goes_on = true;
    unsigned i = 0;
    do {
      auto const begin = i;
      while (i < places) {
        Note const note{shared.notes[i]};
        if (note.bits == 0 || note.offset() > walk.decoded + note.literals()) break;
        walk.matched = walk.decoded + note.literals();
        walk.decoded = walk.matched + Lz4Block::shortest_match + note.match();
        walk.is_first = false;
        i += note.next();
      }
      walk.skip(i - begin);
      if (!is_last && i >= places) break;
      goes_on = walk.step(found);
      auto const passed = all - walk.left;
      i = passed < places ? static_cast<unsigned>(passed) : places;
    } while (goes_on && (is_last || i < places));
    shared.walk = walk;
    return goes_on;
  }
};

}  // namespace detail
}}  // namespace tessera::v0
