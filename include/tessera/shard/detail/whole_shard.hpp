// WholeShard: a shard of which all chunks are wanted. One read brings them and the index.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/core/config.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// The most bytes of a shard that this program writes.
TESSERA_DECL std::uint64_t shard_bound(ResolvedChunk const& form);

/// The value of the shard, as the destination of a read.
class WholeShard {
  using Host = space::Host;

 public:
  enum class State { unread, asked, missing, too_large, there };
  struct TooLarge {};  ///< thrown by the destination

  void clear() { state_ = State::unread, bytes_ = {}; }

  /// Before the read, if the value has at most `most` bytes.
  void begin(std::uint64_t most, Queue<Host>& on) { state_ = State::asked, most_ = most, on_ = &on; }
  ByteSpan<Host> operator()(std::size_t n);
  /// Accepts the result of the read. Throws: StoreError.
  void end(std::optional<std::size_t> found, Key const& key);
  void refuse() { state_ = State::too_large; }

  State state() const { return state_; }
  /// Throws: StoreError, if the range begins beyond the value's end.
  ByteView<Host> part(ByteRange range) const;

 private:
  Scratch<Host> memory_;
  std::uint64_t most_ = 0;
  Queue<Host>* on_ = nullptr;
  ByteView<Host> bytes_{};
  State state_ = State::unread;
};

/// The whole shards of a mini-batch. Their memory is used again.
class WholeShards {
 public:
  std::size_t used() const { return used_; }
  /// Those after the first `n` are used again.
  void keep(std::size_t n) { used_ = n; }
  WholeShard& next();

 private:
  std::deque<WholeShard> shards_;
  std::size_t used_ = 0;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/shard/detail/whole_shard.ipp>
#endif
