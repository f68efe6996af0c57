// The kernel that looks for chunks that hold nothing but the fill value.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/place/placement_table.hpp>
#include <tessera/place/word.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// Which chunks are one element again and again: a byte for each, that is 1 before.
template <unsigned W>
struct FindFilled {
  static constexpr unsigned threads = placing_threads, phases = 3, each = words_per_thread(W), rounds = 4;
  static constexpr unsigned words_per_block = threads * each * rounds, most_shared = 1024 / W;
  struct Shared {
    Word<W> element[most_shared];
    bool differs[threads];
  };
  std::byte const* chunks;
  std::uint64_t words;  ///< of a chunk
  std::uint64_t blocks_per_chunk;
  std::byte const* element;  ///< as many words as make whole elements
  Division element_words;
  std::uint8_t* filled;

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    bool const is_shared = element_words.divisor <= most_shared;  // what lies in the host's memory is dear to read
    if constexpr (Phase == 0) {
      if (is_shared)
        for (auto i = thread; i < element_words.divisor; i += threads) shared.element[i] = word_at<W>(element + i * W);
    } else if constexpr (Phase == 1) {
      shared.differs[thread] = differs(block, thread, is_shared ? shared.element : nullptr);
    } else {
      constexpr unsigned asking = 32;  // whose writes the link carries as one
      bool any = false;
      if (thread < asking)
        for (auto i = thread; i < threads; i += asking) any = any || shared.differs[i];
      if (any) filled[block / blocks_per_chunk] = 0;
    }
  }

 private:
  // Goes on to the next words only where the last were those of the element.
  TESSERA_HOST_DEVICE bool differs(std::uint64_t block, unsigned thread, Word<W> const* shared_element) const {
    auto const* const chunk = chunks + block / blocks_per_chunk * words * W;
    auto const first = block % blocks_per_chunk * words_per_block;
    auto const left = words - first;
    auto const first_in_element = static_cast<std::uint32_t>(first % element_words.divisor);
    for (unsigned round = 0; round < rounds; ++round) {
      auto const start = round * each * threads + thread;
      Word<W> word[each]{};
      for_each_below<each>([&](unsigned i) {
        if (start + i * threads < left) word[i] = word_at<W>(chunk + (first + start + i * threads) * W);
      });
      bool same = true;
      for_each_below<each>([&](unsigned i) {
        if (start + i * threads >= left) return;
        auto const at = element_words.remainder(first_in_element + start + i * threads);
        same =
            same && are_equal(word[i], shared_element ? shared_element[at] : word_at<W>(element + std::size_t{at} * W));
      });
      if (!same) return true;
    }
    return false;
  }
};

}  // namespace detail
}}  // namespace tessera::v0
