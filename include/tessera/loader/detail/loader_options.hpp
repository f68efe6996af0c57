// LoaderOptions, Keep, OnError, LoaderStatistics: how a Loader reads ahead, and what it did.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/array/detail/padding.hpp>
#include <tessera/core/detail/option.hpp>

namespace tessera { inline namespace v0 {

/// What `next` does after a batch that could not be read.
enum class OnError {
  end,   ///< throws the error of this batch; later calls return nothing
  go_on  ///< throws the error of this batch; the next call returns the next batch
};

/// What is kept of a chunk from batch to batch.
enum class Keep {
  decoded,  ///< its elements, in the array's memory space: a later batch neither fetches nor decodes it
  /// Its encoded bytes, in the space where the codecs read them: a later batch decodes it again, but does not fetch it.
  /// If the store does not report changes, as remote ones, other programs must not write the array meanwhile: chunks of
  /// a replaced shard would be read at the offsets of its old index.
  stored,
  either  ///< its elements, if the budget has room for those of all chunks; otherwise its stored bytes
};

/// Options of a Loader.
struct LoaderOptions {
  std::size_t batch = 1;  ///< boxes in a batch; the last batch may have fewer
  /// Batches that are ready or being read, at most, besides those that the program holds: from 1 to 2^20.
  std::size_t ahead = 2;
  /// Batches that are read at once, from 1 to `ahead`: a chunk that several of them want is fetched and decoded once,
  /// also if it is not kept. The loader begins when it has memory for that many batches: with twice as many `ahead`, it
  /// reads while the program uses the previous ones.
  std::size_t together = 1;
  /// Bytes of chunks that are kept from batch to batch; 0: each batch fetches and decodes its chunks anew. The memory
  /// of decoded chunks is allocated at once, but not for more chunks than the array has. Not given:
  /// twice as many bytes as `ahead` + 2 batches like the first one have in the array's type, allocated when its boxes
  /// are known; but 0, if chunks are stored as they are in memory and are larger than a box, because then only the
  /// wanted bytes are fetched. Decoded chunks of an array that has 2^64 or more are not kept.
  Option<std::uint64_t> cache{};
  Keep keep = Keep::decoded;  ///< of chunks, within `cache`
  /// Batches whose boxes are drawn before the first of them is read, if decoded chunks are kept: of chunks that these
  /// need, the one that is needed last is evicted first. 1: the least recently used chunk is evicted first, as it is of
  /// stored bytes.
  std::size_t horizon = 32;
  OnError on_error = OnError::end;  ///< what `next` does after a batch that could not be read
  Padding padding{};  ///< around the array; the sampler draws boxes in the shape padding.padded(array.shape())
};

/// What a Loader did so far. `batches` and `boxes` are those that `next` returned, the rest is of those that were read.
struct LoaderStatistics {
  std::uint64_t batches = 0, boxes = 0;
  std::uint64_t chunks = 0;   ///< chunks that the batches need; a chunk counts once in each batch
  std::uint64_t hits = 0;     ///< how many of these another batch had decoded: kept, or read together
  std::uint64_t decoded = 0;  ///< chunks that were decoded: the rest are hits, or missing in the store
  std::uint64_t kept = 0;     ///< stored values that were kept, and not fetched: chunks, and indexes of shards
  std::uint64_t bytes = 0;    ///< bytes that were fetched from the store
  double seconds = 0;         ///< from the first call of `next` until the last one returned
  double waited = 0;          ///< of these, the time in which a thread was in `next`

  /// The share of time that the program waited for batches, from 0 to 1.
  double share_waited() const { return seconds > 0 ? waited / seconds : 0; }
};

}}  // namespace tessera::v0
