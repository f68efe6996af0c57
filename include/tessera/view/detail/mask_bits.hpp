// MaskBits: a mask as bits, in C order, with counts for fast lookup of the number of bits before a position.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {

/// The selected elements of an array. Uses one bit per element, and an eighth of that for the counts.
class MaskBits {
 public:
  MaskBits() = default;
  /// None selected; `elements` is the number of elements in `shape`.
  MaskBits(Extents const& shape, std::uint64_t elements)
      : shape_{shape}, words_(static_cast<std::size_t>(elements / 64 + (elements % 64 != 0))) {}

  Extents const& shape() const { return shape_; }
  /// Selects `bits` of the up to 64 elements from `first` on. Requires: count_up() was not called.
  void add(std::uint64_t first, std::uint64_t bits);
  /// Call once, when everything is selected.
  void count_up();

  /// The number of selected elements, and of runs of adjacent ones.
  std::uint64_t count() const { return count_; }
  std::uint64_t runs() const { return runs_; }
  std::uint64_t count_before(std::uint64_t element) const;
  /// Calls f(first, count) for each run of selected elements among the `length` elements from `begin` on, until it
  /// returns false. Returns whether it never did.
  template <class F>
  bool for_each_run(std::uint64_t begin, std::uint64_t length, F&& f) const {
    auto const end = begin + length;
    auto word = static_cast<std::size_t>(begin / 64);
    std::uint64_t run = end;  // start of the current run
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
  static std::uint64_t low(std::uint64_t bits);  // fewer than 64

  Extents shape_;
  std::vector<std::uint64_t> words_, before_;  // before_: bits set before each block of words
  std::uint64_t count_ = 0, runs_ = 0;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/view/detail/mask_bits.ipp>
#endif
