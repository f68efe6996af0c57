// The elements of arrays that are measured.
#pragma once
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

// Noise in the two lower bytes of each element, so that a codec halves them.
inline std::vector<float> noise(std::uint64_t count, unsigned seed = 1) {
  std::vector<float> result(static_cast<std::size_t>(count));
  std::mt19937 random{seed};
  for (auto& element : result) {
    auto const bits = 0x3f800000u | (static_cast<std::uint32_t>(random()) & 0xffffu);
    std::memcpy(&element, &bits, sizeof bits);
  }
  return result;
}
