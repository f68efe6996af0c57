// Shards of which every chunk is wanted: one read, and the index is out of the same bytes.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

#include <tessera/buffer/scratch.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/pipeline/shard_index.hpp>
#include <tessera/shard/watched_shards.hpp>
#include <tessera/store/erased_store.hpp>
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

/// The value of one shard, if it is read as a whole.
class WholeShard {
  using Host = space::Host;

 public:
  enum class State { unread, missing, too_large, there };

  void clear() { state_ = State::unread, bytes_ = {}; }

  /// Reads it, of the watched value if it is watched, if it has at most so many bytes. A larger one has what nobody
  /// uses.
  template <MemorySpace S>
  void read(ErasedStore<S> const& store, Key const& key, std::uint64_t most, WatchedShard* watched, queue_for<S>& on) {
    struct TooLarge {};
    auto destination = [&](std::size_t n) {
      if (n > most) throw TooLarge{};
      auto const to = memory_.take(n, on.host());
      bytes_ = to;
      return to;
    };
    ReadRequest<Host> request{&key, {}, destination};
    try {
      if (watched) request.watch = &watched->watch;
      store.get_many_on_host({&request, 1}, on);
      if (watched) watched->is_held &= request.is_of_watch;
      expect_given(request.size, bytes_.size, key);
      state_ = request.size ? State::there : State::missing;
    } catch (TooLarge const&) {
      state_ = State::too_large;
    }
  }

  State state() const { return state_; }
  /// Throws: StoreError, if the range begins beyond the value's end.
  ByteView<Host> part(ByteRange range) const {
    auto const [offset, size] = range.resolve(bytes_.size);
    return bytes_.sub(offset, size);
  }

 private:
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
