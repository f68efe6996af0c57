// Blosc chunks as the kernels that place words read them: decoded, and not yet joined.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/unshuffle.hpp>
#include <tessera/core/config.hpp>
#include <tessera/place/word.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// The chunks of a mini-batch, as kernels that place words read them.
struct BloscSource {
  BloscBytes const* chunks;  ///< in the order of `first`
  std::uint64_t count;
  std::byte const* const* streams;  ///< where each one's bytes are

  struct Bytes {
    BloscBytes const* chunk;  ///< null: what is read is elsewhere
    std::byte const* const* streams;

    template <unsigned W>
    TESSERA_HOST_DEVICE Word<W> word(std::byte const* at) const {
      if (!chunk) return word_at<W>(at);
      using Part = typename Word<W>::Part;
      Word<W> word{};
      BloscReader reader{*chunk, streams, static_cast<std::uint32_t>(at - chunk->first)};
      for_each_below<W>([&](unsigned i) {  // the lowest byte of a part is its first
        auto& part = word.part[i / sizeof(Part)];
        part = static_cast<Part>(part | reader.next() << 8 * (i % sizeof(Part)));
      });
      return word;
    }
  };

  /// Of the chunk that an address is in: the last that begins there or before.
  TESSERA_HOST_DEVICE Bytes of(std::byte const* at) const {
    if (!at) return {nullptr, streams};
    std::uint64_t found = 0, left = count;
    while (left > 1) {
      auto const half = left / 2;
      if (chunks[found + half].first <= at) {
        found += half;
        left -= half;
      } else {
        left = half;
      }
    }
    return {chunks + found, streams};
  }
};

}  // namespace detail
}}  // namespace tessera::v0
