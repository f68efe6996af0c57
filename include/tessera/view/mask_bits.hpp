// A mask as bits, in C order: how many are set before a place is found without a look at all of them.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {

/// Which elements of an array of that shape are selected. An eighth of a byte for each element, and an eighth of that
/// for the counts.
class MaskBits {
 public:
  MaskBits() = default;
  /// None of them; `elements` is what that shape has.
  MaskBits(Extents const& shape, std::uint64_t elements)
      : shape_{shape}, words_(static_cast<std::size_t>(elements / 64 + (elements % 64 != 0))) {}

  Extents const& shape() const { return shape_; }
  /// Selects `bits` of the 64 elements at most from that one on. Before `count_up`.
  void add(std::uint64_t first, std::uint64_t bits) {
    auto const word = static_cast<std::size_t>(first / 64), shift = static_cast<std::size_t>(first % 64);
    words_[word] |= bits << shift;
    if (shift != 0 && bits >> (64 - shift) != 0) words_[word + 1] |= bits >> (64 - shift);
  }
  /// Call it once, when everything is selected.
  void count_up() {
    std::uint64_t last = 0;
    for (std::size_t w = 0; w < words_.size(); ++w) {
      if (w % block == 0) before_.push_back(count_);
      count_ += ones(words_[w]);
      runs_ += ones(words_[w] & ~(words_[w] << 1 | last));
      last = words_[w] >> 63;
    }
  }

  /// The number of selected elements, and of runs of neighbours among them.
  std::uint64_t count() const { return count_; }
  std::uint64_t runs() const { return runs_; }
  /// The number of selected elements before an element.
  std::uint64_t count_before(std::uint64_t element) const {
    auto const word = static_cast<std::size_t>(element / 64);
    if (word == words_.size()) return count_;
    auto count = before_[word / block];
    for (auto w = word / block * block; w < word; ++w) count += ones(words_[w]);
    return count + ones(words_[word] & low(element % 64));
  }
  /// Calls f(first, count) for each run of selected elements among the `length` ones from that one on, until it returns
  /// false. Returns whether it never did.
  template <class F>
  bool for_each_run(std::uint64_t begin, std::uint64_t length, F&& f) const {
    auto const end = begin + length;
    auto word = static_cast<std::size_t>(begin / 64);
    std::uint64_t run = end;  // where the one that goes on began
    for (auto at = begin / 64 * 64; at < end; at += 64, ++word) {
      auto bits = words_[word];
      if (at < begin) bits &= ~low(begin - at);
      if (end - at < 64) bits &= low(end - at);
      if (run != end) {
        auto const more = static_cast<std::uint64_t>(std::countr_one(bits));
        if (more == 64) continue;
        if (!f(run, at + more - run)) return false;
        run = end;
        bits &= ~low(more);
      }
      while (bits != 0) {
        auto const first = static_cast<std::uint64_t>(std::countr_zero(bits));
        auto const past = static_cast<std::uint64_t>(std::countr_one(bits >> first)) + first;
        if (past >= 64) {
          run = at + first;
          break;
        }
        if (!f(at + first, past - first)) return false;
        bits &= ~low(past);
      }
    }
    return run == end || f(run, end - run);
  }

 private:
  static constexpr std::size_t block = 8;  // words

  static std::uint64_t ones(std::uint64_t bits) { return static_cast<std::uint64_t>(std::popcount(bits)); }
  static std::uint64_t low(std::uint64_t bits) { return (std::uint64_t{1} << bits) - 1; }  // fewer than 64

  Extents shape_;
  std::vector<std::uint64_t> words_, before_;  // before_: those that are set before each block of words
  std::uint64_t count_ = 0, runs_ = 0;
};

}}  // namespace tessera::v0
