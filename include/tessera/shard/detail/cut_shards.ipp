#pragma once
#include <tessera/shard/detail/cut_shards.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/codec/bytes_to_bytes/detail/rolling_crc32c.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/pipeline/detail/shard_index.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL bool shows_cuts(std::vector<ShardLevel> const& levels) {
  auto const& outermost = *levels.front().index;
  auto const is_alike = [&](ShardLevel const& level) { return level.index->size() == outermost.size(); };
  return !outermost.at_start() && outermost.has_checksum() && std::none_of(levels.begin() + 1, levels.end(), is_alike);
}

TESSERA_DECL std::vector<std::uint64_t> ends_of_indexes(ShardIndexFormat const& index, ByteView<space::Host> value) {
  constexpr auto checksum = codec::Crc32c::checksum_size;
  std::vector<std::uint64_t> ends;
  if (value.size < index.size()) return ends;
  auto const window = index.size() - checksum;
  RollingCrc32c crc{value.data, window};
  for (auto end = index.size();; ++end) {
    if (codec::Crc32c::stored(value.data + end - checksum) == crc.value()) ends.push_back(end);
    if (end == value.size) return ends;
    crc.move(value.data[end - index.size()], value.data[end - checksum]);
  }
}

}}}  // namespace tessera::v0::detail
