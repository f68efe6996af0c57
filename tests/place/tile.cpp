#include <tessera/place/detail/tile.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

using namespace tessera::detail;

namespace {

template <class Word, bool Swap>
void check_square(std::size_t row_from, std::size_t row_to) {
  constexpr auto n = lanes<Word>;
  std::vector<std::byte> from(1 + n * row_from), to(1 + n * row_to);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 2654435761u >> 7);
  auto wanted = to;
  for (std::size_t r = 0; r < n; ++r)
    for (std::size_t c = 0; c < n; ++c) {
      auto* const word = wanted.data() + 1 + c * row_to + r * sizeof(Word);
      std::memcpy(word, from.data() + 1 + r * row_from + c * sizeof(Word), sizeof(Word));
      if (Swap) std::reverse(word, word + sizeof(Word));
    }
  transpose_square<Word, Swap>(to.data() + 1, static_cast<std::int64_t>(row_to), from.data() + 1,
                               static_cast<std::int64_t>(row_from));
  CHECK(to == wanted);
}

}  // namespace

TEST_CASE("squares of words are transposed, swapped or not, at any address, and nothing beside them is written") {
  for (std::size_t const row_from : {16u, 19u, 64u})
    for (std::size_t const row_to : {16u, 21u, 128u}) {
      CAPTURE(row_from);
      CAPTURE(row_to);
      check_square<std::uint8_t, false>(row_from, row_to);
      check_square<std::uint16_t, false>(row_from, row_to);
      check_square<std::uint16_t, true>(row_from, row_to);
      check_square<std::uint32_t, false>(row_from, row_to);
      check_square<std::uint32_t, true>(row_from, row_to);
    }
}

TEST_CASE("the bytes of each word of a vector are reversed") {
  CHECK(bytes_swapped<std::uint16_t>(Vector<std::uint16_t>{} + 0x0102)[7] == 0x0201);
  CHECK(bytes_swapped<std::uint32_t>(Vector<std::uint32_t>{} + 0x01020304)[3] == 0x04030201);
  CHECK(bytes_swapped<std::uint64_t>(Vector<std::uint64_t>{} + 0x0102030405060708)[1] == 0x0807060504030201);
}
