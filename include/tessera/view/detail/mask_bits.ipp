#pragma once
#include <tessera/view/detail/mask_bits.hpp>

#include <cstddef>
#include <cstdint>

namespace tessera { inline namespace v0 {

TESSERA_DECL void MaskBits::add(std::uint64_t first, std::uint64_t bits) {
  auto const word = static_cast<std::size_t>(first / 64), shift = static_cast<std::size_t>(first % 64);
  words_[word] |= bits << shift;
  if (shift != 0 && bits >> (64 - shift) != 0) words_[word + 1] |= bits >> (64 - shift);
}

TESSERA_DECL void MaskBits::count_up() {
  std::uint64_t last = 0;
  for (std::size_t w = 0; w < words_.size(); ++w) {
    if (w % block == 0) before_.push_back(count_);
    count_ += ones(words_[w]);
    runs_ += ones(words_[w] & ~(words_[w] << 1 | last));
    last = words_[w] >> 63;
  }
}

TESSERA_DECL std::uint64_t MaskBits::count_before(std::uint64_t element) const {
  auto const word = static_cast<std::size_t>(element / 64);
  if (word == words_.size()) return count_;
  auto count = before_[word / block];
  for (auto w = word / block * block; w < word; ++w) count += ones(words_[w]);
  return count + ones(words_[word] & low(element % 64));
}

TESSERA_DECL std::uint64_t MaskBits::low(std::uint64_t bits) { return (std::uint64_t{1} << bits) - 1; }

}}  // namespace tessera::v0
