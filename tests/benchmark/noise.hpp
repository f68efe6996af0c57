// The elements of the arrays that crops are read from.
#pragma once
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

// Noise in the two lower bytes of each element, so that zstd halves them.
inline std::vector<float> noise(std::uint64_t count) {
  std::vector<float> result(static_cast<std::size_t>(count));
  std::mt19937 random{1};
  for (auto& element : result) {
    auto const bits = 0x3f800000u | (static_cast<std::uint32_t>(random()) & 0xffffu);
    std::memcpy(&element, &bits, sizeof bits);
  }
  return result;
}
