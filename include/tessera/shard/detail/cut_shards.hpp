// end_of_sound: the state of a shard before an append that was cut off.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/pipeline/detail/shard_index.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Whether the index of a shard shows that an append was cut off: it stands at the end, has a checksum, and has another
/// size than the inner indexes, which a cut might put in its place.
TESSERA_DECL bool shows_cuts(std::vector<ShardLevel> const& levels);

/// The ends, in ascending order, of all byte ranges of a value that are as long as an index and have a right checksum.
TESSERA_DECL std::vector<std::uint64_t> ends_of_indexes(ShardIndexFormat const& index, ByteView<space::Host> value);

/// Where the last sound index ends in a value of `size` bytes; 0: none is sound. Bytes behind it belong to an append
/// that was cut off. Requires: shows_cuts. Makes one pass over the value; the indexes that it decodes are together no
/// longer than that, apart from a few.
template <class Part>
std::uint64_t end_of_sound(ShardIndexFormat const& index, std::uint64_t size, Part&& part, Queue<space::Host>& on) {
  std::vector<std::byte> value(checked_size(size, "a shard"));
  part(0, ByteSpan<space::Host>{value.data(), value.size()});
  auto const ends = ends_of_indexes(index, {value.data(), value.size()});
  if (!ends.empty() && ends.back() == size) return size;
  std::vector<ShardEntry> entries(index.entries());
  // As an append leaves it: it begins where its last chunk ends, or the append wrote only an index.
  auto const is_sound = [&](std::uint64_t end) {
    auto const begin = end - index.size();
    index.decode({value.data() + begin, index.size()}, entries, on);
    bool has_any = false;
    std::uint64_t last = 0;
    for (auto const& entry : entries) {
      if (entry.is_missing()) continue;
      if (!entry.is_within(begin)) return false;
      has_any = true;
      last = std::max(last, entry.offset + entry.size);
    }
    return has_any && (last == begin || std::ranges::binary_search(ends, begin));
  };
  auto const most = std::min<std::uint64_t>(ends.size(), 16 + size / std::max<std::uint64_t>(index.size(), 1));
  for (std::uint64_t i = 1; i <= most; ++i)
    if (is_sound(ends[ends.size() - i])) return ends[ends.size() - i];
  return 0;
}

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/shard/detail/cut_shards.ipp>
#endif
