// Shards of which every chunk is wanted: one read, and the index is out of the same bytes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>

#include <tessera/buffer/scratch.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/shard_index.hpp>
#include <tessera/shard/index_cache.hpp>
#include <tessera/store/read_request.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// The most bytes of a shard as this program writes it.
inline std::uint64_t shard_bound(ResolvedChunk const& form) {
  constexpr auto most = std::uint64_t{1} << 58;
  auto sum = std::min<std::uint64_t>(form.encoded_bound(), most);
  for (auto level = form.shards.size(); level-- > 0;) {
    auto const& index = *form.shards[level].index;
    auto const entries = index.entries();
    sum = entries != 0 && sum > most / entries ? most : std::min(most, sum * entries + index.size());
  }
  return sum;
}

/// The value of one shard, read when the first part of it is asked for.
class WholeShard {
  using Host = space::Host;

 public:
  void clear() { state_ = State::unread, bytes_ = {}; }

  /// As `read`: out of the whole value, if it has at most so many bytes. A larger one has what nobody uses.
  std::optional<std::size_t> read_part(Key const& key, std::uint64_t most, ByteRange range,
                                       Destination<Host> destination, ReadPart read, Queue<Host>& on) {
    if (state_ == State::unread) read_whole(key, most, read, on);
    if (state_ == State::missing) return std::nullopt;
    if (state_ == State::too_large) return read(range, destination);
    auto const found = part(range);
    auto const to = destination(found.size);
    if (found.size > 0) std::memcpy(to.data, found.data, found.size);
    return found.size;
  }

  bool is_there() const { return state_ == State::read; }
  /// Throws: StoreError, if the range begins beyond the value's end.
  ByteView<Host> part(ByteRange range) const {
    auto const [offset, size] = range.resolve(bytes_.size);
    return bytes_.sub(offset, size);
  }

 private:
  enum class State { unread, missing, too_large, read };

  void read_whole(Key const& key, std::uint64_t most, ReadPart read, Queue<Host>& on) {
    struct TooLarge {};
    auto destination = [&](std::size_t n) {
      if (n > most) throw TooLarge{};
      auto const to = memory_.take(n, on);
      bytes_ = to;
      return to;
    };
    try {
      auto const found = read({}, destination);
      expect_given(found, bytes_.size, key);
      state_ = found ? State::read : State::missing;
    } catch (TooLarge const&) {
      state_ = State::too_large;
    }
  }

  Scratch<Host> memory_;
  ByteView<Host> bytes_{};
  State state_ = State::unread;
};

/// Those of a mini-batch, in memory that is used again.
class WholeShards {
 public:
  void clear() { used_ = 0; }
  WholeShard& next() {
    if (used_ == shards_.size()) shards_.emplace_back();
    shards_[used_].clear();
    return shards_[used_++];
  }

 private:
  std::deque<WholeShard> shards_;
  std::size_t used_ = 0;
};

}}}  // namespace tessera::v0::detail
