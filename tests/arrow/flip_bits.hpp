// flip_bits: damage to a message.
#pragma once
#include <cstddef>

#include <support/random.hpp>

namespace test {

/// One to three bits of them.
inline void flip_bits(std::byte* data, std::size_t size, Random& random) {
  for (auto n = random(1, 3); n-- > 0;) data[random(0, size - 1)] ^= static_cast<std::byte>(1u << random(0, 7));
}

}  // namespace test
