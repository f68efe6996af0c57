#pragma once
#include <tessera/shard/detail/whole_shard.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/pipeline/detail/shard_index.hpp>
#include <tessera/store/detail/read_request.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::uint64_t shard_bound(ResolvedChunk const& form) {
  constexpr auto most = std::uint64_t{1} << 58;
  auto sum = std::min<std::uint64_t>(form.encoded_bound(), most);
  for (auto level = form.shards.size(); level-- > 0;) {
    auto const& index = *form.shards[level].index;
    auto const entries = index.entries();
    sum = entries != 0 && sum > most / entries ? most : std::min(most, sum * entries + index.size());
  }
  return sum;
}

TESSERA_DECL ByteSpan<WholeShard::Host> WholeShard::operator()(std::size_t n) {
  if (n > most_) throw TooLarge{};
  auto const to = memory_.take(n, *on_);
  bytes_ = to;
  return to;
}

TESSERA_DECL void WholeShard::end(std::optional<std::size_t> found, Key const& key) {
  expect_given(found, bytes_.size, key);
  state_ = found ? State::there : State::missing;
}

TESSERA_DECL ByteView<WholeShard::Host> WholeShard::part(ByteRange range) const {
  auto const [offset, size] = range.resolve(bytes_.size);
  return bytes_.sub(offset, size);
}

TESSERA_DECL WholeShard& WholeShards::next() {
  if (used_ == shards_.size()) shards_.emplace_back();
  shards_[used_].clear();
  return shards_[used_++];
}

}}}  // namespace tessera::v0::detail
