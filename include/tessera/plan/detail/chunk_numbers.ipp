#pragma once
#include <tessera/plan/detail/chunk_numbers.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL ChunkNumbers::ChunkNumbers(Extents const& grid, Extents const& group, Extents const& origin)
    : grid_{grid}, group_{group}, behind_{grid}, origin_{origin} {
  if (count_or_most(grid) == ~std::uint64_t{0})
    throw SelectionError{to_text({"points in chunks that are too far apart: from chunk ", to_string(origin),
                                  " on, found ", to_string(grid), " chunks, expected at most 2^64 - 1"})};
  for (auto d = grid.rank(); d-- > 0; count_ *= grid[d]) behind_[d] = count_;
  is_c_order_ = group == Extents::filled(group.rank(), 1);
}

TESSERA_DECL std::uint64_t ChunkNumbers::number(Extents const& chunk) const {
  std::uint64_t before = 0, within = 0, in_group = 1;
  for (std::size_t d = 0; d < chunk.rank(); ++d) {
    auto const at = chunk[d] - origin_[d], begin = at / group_[d] * group_[d];
    auto const length = std::min(group_[d], grid_[d] - begin);
    before += begin * in_group * behind_[d];
    within = within * length + (at - begin);
    in_group *= length;
  }
  return before + within;
}

TESSERA_DECL Extents ChunkNumbers::chunk(std::uint64_t number) const {
  auto chunk = grid_, length = grid_;
  std::uint64_t in_group = 1;
  for (std::size_t d = 0; d < chunk.rank(); ++d) {
    auto const each = in_group * behind_[d];
    chunk[d] = number / each / group_[d] * group_[d];
    length[d] = std::min(group_[d], grid_[d] - chunk[d]);
    number -= chunk[d] * each;
    in_group *= length[d];
  }
  for (auto d = chunk.rank(); d-- > 0; number /= length[d]) chunk[d] += number % length[d] + origin_[d];
  return chunk;
}

}}}  // namespace tessera::v0::detail
