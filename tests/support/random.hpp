// Reproducible random numbers: a test captures the seed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>

#include <support/bytes.hpp>
#include <tessera/core/dimensions.hpp>

namespace test {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_{seed} {}

  /// From `least` to `most`, both included.
  std::uint64_t operator()(std::uint64_t least, std::uint64_t most) { return least + engine_() % (most - least + 1); }
  bool one_in(std::uint64_t n) { return (*this)(1, n) == 1; }
  tessera::Extents extents(std::size_t rank, std::uint64_t least, std::uint64_t most) {
    tessera::Extents result;
    while (result.rank() < rank) result.push_back((*this)(least, most));
    return result;
  }
  tessera::Extents permutation(std::size_t rank) {
    tessera::Extents result;
    while (result.rank() < rank) result.push_back(result.rank());
    for (std::size_t i = rank; i > 1; --i) std::swap(result[i - 1], result[(*this)(0, i - 1)]);
    return result;
  }
  Bytes noise(std::size_t size) {
    Bytes result(size);
    for (auto& b : result) b = static_cast<std::byte>((*this)(0, 255));
    return result;
  }
  /// Bytes that a compressor can shorten.
  Bytes smooth(std::size_t size) {
    Bytes result(size);
    std::uint64_t level = 0;
    for (auto& b : result) b = static_cast<std::byte>(level += one_in(7) ? (*this)(0, 3) : 0);
    return result;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace test
