// Word: the unit that kernels of this folder move. They hold integers, pointers and plain arrays, and call no std::
// functions, which nvcc compiles for the host only.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// W bytes read and written at once.
template <unsigned W>
struct alignas(W) [[gnu::may_alias]] Word {
  using Part = std::conditional_t<(W >= 4), std::uint32_t, std::conditional_t<W == 2, std::uint16_t, std::uint8_t>>;
  static constexpr unsigned parts = W / sizeof(Part);
  Part part[parts];
};

template <unsigned W>
TESSERA_HOST_DEVICE bool are_equal(Word<W> const& a, Word<W> const& b) {
  typename Word<W>::Part differs = 0;
  for (unsigned i = 0; i < Word<W>::parts; ++i)
    differs = static_cast<typename Word<W>::Part>(differs | (a.part[i] ^ b.part[i]));
  return differs == 0;
}

/// Reverses each `size` bytes of the word.
template <unsigned W>
TESSERA_HOST_DEVICE Word<W> swapped(Word<W> word, unsigned size) {
  if (size == 1) return word;
  if constexpr (W == 2) {
    word.part[0] = static_cast<std::uint16_t>(word.part[0] << 8 | word.part[0] >> 8);
  } else if constexpr (W > 2) {
    for (auto& x : word.part) {
      x = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
      if (size > 2) x = x << 16 | x >> 16;
    }
    if (size == 8) {
      for (unsigned i = 0; i + 1 < Word<W>::parts; i += 2) {
        auto const first = word.part[i];
        word.part[i] = word.part[i + 1];
        word.part[i + 1] = first;
      }
    }
  }
  return word;
}

template <unsigned W>
TESSERA_HOST_DEVICE Word<W> word_at(std::byte const* at) {
  return *reinterpret_cast<Word<W> const*>(at);
}
template <unsigned W>
TESSERA_HOST_DEVICE void put_word(std::byte* at, Word<W> const& word) {
  *reinterpret_cast<Word<W>*>(at) = word;
}

/// Reads a kernel's words: `source.of(box.from).word<W>(address)`. This one reads them at the address. Filled boxes
/// have no box.from.
struct BytesInPlace {
  TESSERA_HOST_DEVICE BytesInPlace of(std::byte const*) const { return {}; }
  template <unsigned W>
  TESSERA_HOST_DEVICE Word<W> word(std::byte const* at) const {
    return word_at<W>(at);
  }
};

/// f(0), f(1), ... each with a compile-time constant, so that arrays of words stay in registers.
template <class F, unsigned... I>
TESSERA_HOST_DEVICE void for_each_below(std::integer_sequence<unsigned, I...>, F const& f) {
  (f(I), ...);
}
template <unsigned N, class F>
TESSERA_HOST_DEVICE void for_each_below(F const& f) {
  for_each_below(std::make_integer_sequence<unsigned, N>{}, f);
}

/// Moves those of the words first, first + Threads, ... that are below `end`, at most `Each`; reads all before writing.
/// `read(n, to)` returns word n and sets its destination; `made(word)` is the word written there.
template <unsigned W, unsigned Each, unsigned Threads, class Read, class Made>
TESSERA_HOST_DEVICE void move_words(std::uint32_t first, std::uint32_t end, Read const& read, Made const& made) {
  Word<W> word[Each]{};
  std::byte* to[Each]{};
  for_each_below<Each>([&](unsigned i) {
    auto const n = first + i * Threads;
    if (n < end) word[i] = read(n, to[i]);
  });
  for_each_below<Each>([&](unsigned i) {
    if (first + i * Threads < end) put_word(to[i], made(word[i]));
  });
}

}  // namespace detail
}}  // namespace tessera::v0
