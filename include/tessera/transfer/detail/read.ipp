#pragma once
#include <tessera/transfer/detail/read.hpp>

#include <cstdint>
#include <vector>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::uint64_t bytes_of_indexes(std::vector<ShardLevel> const& levels) {
  std::uint64_t sum = 0;
  for (auto const& level : levels) sum += level.index->size();
  return sum;
}

}}}  // namespace tessera::v0::detail
