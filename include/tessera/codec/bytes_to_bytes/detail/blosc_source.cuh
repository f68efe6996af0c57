// BloscSource: decoded blosc chunks of a mini-batch, as placing kernels read them before they are joined.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/unshuffle.hpp>
#include <tessera/core/config.hpp>
#include <tessera/place/detail/word.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

struct BloscSource {
  BloscBytes const* chunks;  ///< in the order of `first`
  std::uint64_t count;
  std::byte const* const* streams;  ///< the decoded bytes of each stream

  struct Bytes {
    BloscBytes const* chunk;  ///< null: the bytes are in no chunk
    std::byte const* const* streams;

    template <unsigned W>
    TESSERA_HOST_DEVICE Word<W> word(std::byte const* at) const {
      if (!chunk) return word_at<W>(at);
      using Part = typename Word<W>::Part;
      Word<W> word{};
      BloscReader reader{*chunk, streams, static_cast<std::uint32_t>(at - chunk->first)};
      for_each_below<W>([&](unsigned i) {  // parts are little-endian
        auto& part = word.part[i / sizeof(Part)];
        part = static_cast<Part>(part | reader.next() << 8 * (i % sizeof(Part)));
      });
      return word;
    }
  };

  /// For the chunk that contains an address: the last one that begins there or before.
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
