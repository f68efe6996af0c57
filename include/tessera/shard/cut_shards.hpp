// Shards whose last append was cut off: what they were before it.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/codec/bytes_to_bytes/rolling_crc32c.hpp>
#include <tessera/core/checked.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/shard_index.hpp>
#include <tessera/shard/entries.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Whether a shard that was cut off while it was appended to is known by its index: that has a checksum, and is not of
/// the form of an index in the shard, which a cut might put in its place.
inline bool shows_cuts(std::vector<ShardLevel> const& levels) {
  auto const& outermost = *levels.front().index;
  auto const is_alike = [&](ShardLevel const& level) { return level.index->size() == outermost.size(); };
  return !outermost.at_start() && outermost.has_checksum() && std::none_of(levels.begin() + 1, levels.end(), is_alike);
}

/// Where the checksum behind an index is right, wherever in a value one may end; in ascending order.
inline std::vector<std::uint64_t> ends_of_indexes(ShardIndexFormat const& index, ByteView<space::Host> value) {
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

/// Where the last index ends that is sound, in a value of `size` bytes; 0: there is none. If that is ahead of the
/// value's end, what lies behind it was cut off while it was written. For indexes that show cuts. One pass over the
/// value, and the indexes that are looked at are together no longer than it, or a few.
template <class Part>
std::uint64_t end_of_sound(ShardIndexFormat const& index, std::uint64_t size, Part&& part, Queue<space::Host>& on) {
  std::vector<std::byte> value(checked_size(size, "a shard"));
  part(0, ByteSpan<space::Host>{value.data(), value.size()});
  auto const ends = ends_of_indexes(index, {value.data(), value.size()});
  if (!ends.empty() && ends.back() == size) return size;
  std::vector<ShardEntry> entries(index.entries());
  // As an append leaves it: it begins where its last chunk ends, or it is all that was appended.
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
