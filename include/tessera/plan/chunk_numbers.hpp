// Chunks as numbers, in the order in which a plan has them.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// From 0 on: C order, but those of one group of chunks after those of another.
class ChunkNumbers {
 public:
  ChunkNumbers() = default;
  /// Of a grid whose chunks a number can count. Groups at its end are cut off.
  ChunkNumbers(Extents const& grid, Extents const& group) : grid_{grid}, group_{group}, behind_{grid} {
    for (auto d = grid.rank(); d-- > 0; count_ *= grid[d]) behind_[d] = count_;
    is_c_order_ = group == Extents::filled(group.rank(), 1);
  }

  std::uint64_t count() const { return count_; }
  /// A number is the sum over the dimensions of the index times this; else it is not.
  bool is_c_order() const { return is_c_order_; }
  std::uint64_t behind(std::size_t d) const { return behind_[d]; }

  // Before the groups that begin at an index of the first dimension lie as many chunks as there are behind it, for each
  // index; and so on, among those that share their groups along the first, along the next.
  std::uint64_t number(Extents const& chunk) const {
    std::uint64_t before = 0, within = 0, in_group = 1;
    for (std::size_t d = 0; d < chunk.rank(); ++d) {
      auto const begin = chunk[d] / group_[d] * group_[d], length = std::min(group_[d], grid_[d] - begin);
      before += begin * in_group * behind_[d];
      within = within * length + (chunk[d] - begin);
      in_group *= length;
    }
    return before + within;
  }
  Extents chunk(std::uint64_t number) const {
    auto chunk = grid_, length = grid_;
    std::uint64_t in_group = 1;
    for (std::size_t d = 0; d < chunk.rank(); ++d) {
      auto const each = in_group * behind_[d];
      chunk[d] = number / each / group_[d] * group_[d];
      length[d] = std::min(group_[d], grid_[d] - chunk[d]);
      number -= chunk[d] * each;
      in_group *= length[d];
    }
    for (auto d = chunk.rank(); d-- > 0; number /= length[d]) chunk[d] += number % length[d];
    return chunk;
  }

 private:
  Extents grid_, group_, behind_;  // behind_: chunks of one index of a dimension, in those that follow it
  std::uint64_t count_ = 1;
  bool is_c_order_ = true;
};

}}}  // namespace tessera::v0::detail
