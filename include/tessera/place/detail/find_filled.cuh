// FindFilled: the kernel that finds chunks that hold only the fill value.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/place/detail/placement_table.hpp>
#include <tessera/place/detail/word.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// Finds chunks that repeat one element: sets a chunk's byte, 1 before, to 0 if it does not.
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
  std::byte const* element;  ///< repeated to whole words
  Division element_words;
  std::uint8_t* filled;

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    bool const is_shared = element_words.divisor <= most_shared;  // reading host memory is slow
    if constexpr (Phase == 0) {
      if (is_shared)
        for (auto i = thread; i < element_words.divisor; i += threads) shared.element[i] = word_at<W>(element + i * W);
    } else if constexpr (Phase == 1) {
      shared.differs[thread] = differs(block, thread, is_shared ? shared.element : nullptr);
    } else {
      constexpr unsigned asking = 32;  // the bus carries their writes as one
      bool any = false;
      if (thread < asking)
        for (auto i = thread; i < threads; i += asking) any = any || shared.differs[i];
      if (any) filled[block / blocks_per_chunk] = 0;
    }
  }

 private:
  // Reads further words only if the previous ones matched.
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
