// RandomNumbers and Shuffle: numbers that depend on a seed alone, on every platform, and at any position at once.
#pragma once
#include <cstdint>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// SplitMix64 (Steele, Lea and Flood, 2014). The distributions of <random> differ between standard libraries.
class RandomNumbers {
 public:
  /// `position`: numbers of different positions are independent of each other.
  RandomNumbers(std::uint64_t seed, std::uint64_t position) : state_{mixed(seed) ^ mixed(~position)} {}

  std::uint64_t next() { return mixed(state_ += golden); }
  /// Below n, each equally often. Requires: n > 0.
  TESSERA_DECL std::uint64_t below(std::uint64_t n);
  /// In [0, 1).
  double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  static constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  static constexpr std::uint64_t mixed(std::uint64_t n) {
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9;
    n = (n ^ (n >> 27)) * 0x94d049bb133111eb;
    return n ^ (n >> 31);
  }

 private:
  std::uint64_t state_;
};

/// A permutation of the numbers below n without a list of them: a Feistel network permutes the numbers of the next
/// even number of bits, and is applied again to results that are not below n.
class Shuffle {
 public:
  TESSERA_DECL Shuffle(std::uint64_t n, std::uint64_t seed, std::uint64_t epoch);

  /// Requires: i < n.
  TESSERA_DECL std::uint64_t operator()(std::uint64_t i) const;

 private:
  static constexpr int rounds = 6;

  std::uint64_t permuted(std::uint64_t i) const;

  std::uint64_t n_;
  unsigned half_ = 1;  // bits
  std::uint64_t keys_[rounds];
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/loader/detail/random_numbers.ipp>
#endif
