// transpose_square, bytes_swapped: for vectors of words of 1 to 8 bytes. Uses portable compiler vectors, because
// compilers do not vectorise the equivalent loops.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera { inline namespace v0 { namespace detail {

template <class Word>
struct VectorOf {
  using type [[gnu::vector_size(16)]] = Word;
};
template <class Word>
using Vector = typename VectorOf<Word>::type;

/// Words in a vector.
template <class Word>
inline constexpr std::size_t lanes = 16 / sizeof(Word);

template <class Word>
Vector<Word> bytes_swapped(Vector<Word> v) {
  if constexpr (sizeof(Word) == 8) v = (v << 32) | (v >> 32);
  if constexpr (sizeof(Word) == 4) v = (v << 16) | (v >> 16);
  if constexpr (sizeof(Word) == 8) {
    constexpr Word low = 0x0000ffff0000ffff;
    v = ((v & low) << 16) | ((v >> 16) & low);
  }
  if constexpr (sizeof(Word) == 2) return (v << 8) | (v >> 8);
  if constexpr (sizeof(Word) > 2) {
    constexpr auto low = static_cast<Word>(0x00ff00ff00ff00ff);
    v = ((v & low) << 8) | ((v >> 8) & low);
  }
  return v;
}

// a0 b0 a1 b1 ... of the first halves, and of the second halves. Without parameter packs, which nvcc loses on the way
// to the host compiler.
template <class Word>
Vector<Word> first_zipped(Vector<Word> a, Vector<Word> b) {
  if constexpr (lanes<Word> == 4)
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
  else if constexpr (lanes<Word> == 8)
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  else
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
template <class Word>
Vector<Word> second_zipped(Vector<Word> a, Vector<Word> b) {
  if constexpr (lanes<Word> == 4)
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
  else if constexpr (lanes<Word> == 8)
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  else
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/// Reads as many vectors as one has lanes, `row_from` bytes apart, and writes the columns of that square as vectors,
/// `row_to` bytes apart: words of 1, 2 or 4 bytes, at any address.
template <class Word, bool Swap>
void transpose_square(std::byte* to, std::int64_t row_to, std::byte const* from, std::int64_t row_from) {
  constexpr auto n = lanes<Word>;
  Vector<Word> rows[n];
  for (std::size_t i = 0; i < n; ++i, from += row_from) {
    std::memcpy(&rows[i], from, sizeof rows[i]);
    if constexpr (Swap) rows[i] = bytes_swapped<Word>(rows[i]);
  }
  for (std::size_t step = 1; step < n; step *= 2) {  // each moves one bit of a word's row to its column
    Vector<Word> zipped[n];
    for (std::size_t i = 0; i < n / 2; ++i) {
      zipped[2 * i] = first_zipped<Word>(rows[i], rows[i + n / 2]);
      zipped[2 * i + 1] = second_zipped<Word>(rows[i], rows[i + n / 2]);
    }
    std::memcpy(rows, zipped, sizeof rows);
  }
  for (std::size_t i = 0; i < n; ++i, to += row_to) std::memcpy(to, &rows[i], sizeof rows[i]);
}

}}}  // namespace tessera::v0::detail
