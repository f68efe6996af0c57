// The chunks of an open array while one call reads or writes them.
#pragma once
#include <memory>
#include <optional>
#include <type_traits>
#include <variant>

#include <tessera/array/array_state.hpp>
#include <tessera/pipeline/erased_pipeline.hpp>
#include <tessera/shard/decoded_shard_store.hpp>
#include <tessera/shard/index_cache.hpp>
#include <tessera/store/erased_store.hpp>
#include <tessera/transfer/chunk_access.hpp>
#include <tessera/transfer/part_chunk_names.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Holds what its ChunkAccess refers to. What it knows of shards is of one call, unless the array keeps their indexes.
template <class S, class P, bool is_written>
class OpenChunks {
  using Erased = erased_t<typename P::leaf_type>;
  using Bytes = typename Erased::bytes_space;

 public:
  using Access = ChunkAccess<Erased>;
  using Encoder = typename Erased::Encoder;

  /// What is given outlives this. Without an encoder chunks are written as they are encoded, and codecs may be such as
  /// only decode.
  OpenChunks(ArrayState<S, P>& array, RegularGrid const& grid, Encoder const* encoder = nullptr);
  OpenChunks(OpenChunks const&) = delete;

  Access const& access() const { return access_; }

 private:
  using Store = std::conditional_t<is_written, ErasedWritableStore<Bytes>, ErasedStore<Bytes>>;
  using Values = std::conditional_t<is_written, ErasedWritableStoreOf<S>, ErasedStoreOf<S>>;
  using Shards = std::conditional_t<is_written, EncodedShardStore<>, DecodedShardStore<>>;

  Access opened(ArrayState<S, P>& array, RegularGrid const& grid, Encoder const* encoder);
  Store const& store_of(ResolvedChunk const& form);

  Values const values_;
  std::conditional_t<P::may_encode_shards, std::optional<Shards>, std::monostate> shards_{};  // codecs behind them
  std::shared_ptr<ShardIndexCache> const indexes_;
  ShardGrid const* const grid_of_shards_;
  ArrayChunkNames const names_;
  std::optional<PartChunkNames> part_names_{};
  ErasedPipelineOf<typename P::leaf_type> const pipeline_;
  std::optional<typename Access::Writing> writing_{};
  Access const access_;
};

template <class S, class P>
using ReadableChunks = OpenChunks<S, P, false>;
template <class S, class P>
using WritableChunks = OpenChunks<S, P, true>;

// Outside of the class, as in ArrayState.

template <class S, class P, bool is_written>
OpenChunks<S, P, is_written>::OpenChunks(ArrayState<S, P>& array, RegularGrid const& grid, Encoder const* encoder)
    : values_{array.store, array.locks},
      indexes_{array.indexes(grid)},
      grid_of_shards_{indexes_ ? &indexes_->grid() : nullptr},
      names_{array.prefix, array.metadata.key_encoding, grid_of_shards_},
      pipeline_{array.pipeline.leaf()},
      access_{opened(array, grid, encoder)} {}

template <class S, class P, bool is_written>
auto OpenChunks<S, P, is_written>::opened(ArrayState<S, P>& array, RegularGrid const& grid,
                                          [[maybe_unused]] Encoder const* encoder) -> Access {
  auto const& store = store_of(grid.form);
  typename Access::Writing const* writing = nullptr;
  if constexpr (is_written) writing = &writing_.emplace(typename Access::Writing{store, encoder});
  ChunkNames const* names = &names_;
  if (grid.first_chunk)
    names = &part_names_.emplace(array.prefix, array.metadata.key_encoding, grid_of_shards_, *grid.first_chunk);
  return {store, *names, pipeline_, grid.form, array.fill_element(), indexes_.get(), grid.shape, writing};
}

template <class S, class P, bool is_written>
auto OpenChunks<S, P, is_written>::store_of(ResolvedChunk const& form) -> Store const& {
  if constexpr (P::may_encode_shards)
    if (!form.shards.empty() && form.shards.front().behind) return shards_.emplace(values_, form);
  return values_;
}

}}}  // namespace tessera::v0::detail
