#pragma once
#include <tessera/loader/detail/random_numbers.hpp>

#include <cstdint>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::uint64_t RandomNumbers::below(std::uint64_t n) {
  auto const left_out = (0 - n) % n;  // 2^64 modulo n: without the least of them, the rest is n times a number
  for (;;)
    if (auto const number = next(); number >= left_out) return number % n;
}

TESSERA_DECL Shuffle::Shuffle(std::uint64_t n, std::uint64_t seed, std::uint64_t epoch) : n_{n} {
  while (half_ < 32 && ((n - 1) >> (2 * half_)) != 0) ++half_;
  RandomNumbers random{seed, epoch};
  for (auto& key : keys_) key = random.next();
}

TESSERA_DECL std::uint64_t Shuffle::operator()(std::uint64_t i) const {
  do i = permuted(i);
  while (i >= n_);
  return i;
}

TESSERA_DECL std::uint64_t Shuffle::permuted(std::uint64_t i) const {
  auto const mask = (std::uint64_t{1} << half_) - 1;
  auto left = i >> half_, right = i & mask;
  for (auto const key : keys_) {
    auto const other = left ^ (RandomNumbers::mixed(right + key) & mask);
    left = right;
    right = other;
  }
  return left << half_ | right;
}

}}}  // namespace tessera::v0::detail
