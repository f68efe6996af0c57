// Chunks as numbers, in the order in which a plan has them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <tessera/core/dimensions.hpp>

namespace tessera::inline v0::detail {

/// C order, those of one group of chunks after those of another.
class ChunkNumbers {
 public:
  ChunkNumbers() = default;
  /// Of chunks up to `most` along each dimension.
  ChunkNumbers(Extents const& most, Extents const& group) : group_{group}, by_group_{group}, within_{group} {
    for (auto d = group.rank(); d-- > 0;) within_[d] = take(std::min(group[d], most[d] + 1));
    for (auto d = group.rank(); d-- > 0;) by_group_[d] = take(most[d] / group[d] + 1);
    is_plain_ = group == Extents::filled(group.rank(), 1);
  }

  /// Whether there is a number for each. Else those that are used are to be added first, and then numbered.
  bool fits() const { return fits_; }
  void add(Extents const& chunk) { known_.emplace(digits(chunk), 0); }
  void number_all() {
    count_ = 0;
    for (auto& [chunk, number] : known_) {
      number = count_++;
      digits_.push_back(chunk);
    }
  }

  /// All numbers are below it.
  std::uint64_t count() const { return count_; }
  /// What the index of a chunk along a dimension adds to its number.
  std::uint64_t part(std::size_t d, std::uint64_t index) const {
    if (is_plain_) return index * by_group_[d];
    return index / group_[d] * by_group_[d] + index % group_[d] * within_[d];
  }
  std::uint64_t number(Extents const& chunk) const {
    if (!fits_) return known_.at(digits(chunk));
    std::uint64_t sum = 0;
    for (std::size_t d = 0; d < chunk.rank(); ++d) sum += part(d, chunk[d]);
    return sum;
  }
  Extents chunk(std::uint64_t number) const {
    auto chunk = group_;
    auto const rank = group_.rank();
    for (std::size_t d = 0; d < rank; ++d) {
      chunk[d] = fits_ ? number / by_group_[d] : digits_[static_cast<std::size_t>(number)][d];
      if (fits_) number %= by_group_[d];
    }
    for (std::size_t d = 0; d < rank; ++d) {
      auto const within = fits_ ? number / within_[d] : digits_[static_cast<std::size_t>(number)][rank + d];
      if (fits_) number %= within_[d];
      chunk[d] = chunk[d] * group_[d] + within;
    }
    return chunk;
  }

 private:
  // How much one step of a digit with so many values is.
  std::uint64_t take(std::uint64_t values) {
    auto const each = count_;
    fits_ = fits_ && count_ <= (std::uint64_t{1} << 62) / values;
    count_ = fits_ ? count_ * values : 1;
    return each;
  }
  std::vector<std::uint64_t> digits(Extents const& chunk) const {
    std::vector<std::uint64_t> digits;
    for (std::size_t d = 0; d < chunk.rank(); ++d) digits.push_back(chunk[d] / group_[d]);
    for (std::size_t d = 0; d < chunk.rank(); ++d) digits.push_back(chunk[d] % group_[d]);
    return digits;
  }

  Extents group_, by_group_, within_;
  std::uint64_t count_ = 1;
  bool fits_ = true, is_plain_ = true;
  std::map<std::vector<std::uint64_t>, std::uint64_t> known_;  // where they do not fit: by their digits
  std::vector<std::vector<std::uint64_t>> digits_;
};

}  // namespace tessera::inline v0::detail
