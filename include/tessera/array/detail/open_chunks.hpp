// OpenChunks: the chunks of an open array during one call.
#pragma once
#include <concepts>
#include <memory>
#include <optional>
#include <type_traits>
#include <variant>

#include <tessera/array/detail/open_array.hpp>
#include <tessera/shard/detail/decoded_shard_store.hpp>
#include <tessera/shard/detail/index_cache.hpp>
#include <tessera/store/detail/erased_store.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/part_chunk_names.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Owns the objects that its ChunkAccess refers to. Its indexes of shards are for one call, unless the array keeps
/// them. `Values` is the store in the call: an ErasedStore, or an ErasedArrayStore to write.
template <class P, class Values>
class OpenChunks {
  using Bytes = typename P::bytes_space;
  static constexpr bool is_written = std::derived_from<Values, ErasedWritableStore<Bytes>>;
  static constexpr bool is_of_host = std::same_as<Bytes, space::Host>;  // codecs behind shards run there

 public:
  using Access = ChunkAccess<P>;

  /// Requires: all arguments outlive this. Without `encodes`, chunks are written as they are, and codecs may only
  /// decode.
  OpenChunks(OpenArray<P>& array, Values const& store, RegularGrid const& grid, bool encodes = true)
      : stages_{array.stages},
        indexes_{array.indexes(grid)},
        grid_of_shards_{indexes_ ? &indexes_->grid() : nullptr},
        names_{array.array->prefix, array.array->metadata.key_encoding, grid_of_shards_},
        access_{opened(array, store, grid, encodes)} {}
  OpenChunks(OpenChunks const&) = delete;

  Access const& access() const { return access_; }

 private:
  using Store = std::conditional_t<is_written, ErasedWritableStore<Bytes>, ErasedStore<Bytes>>;
  using Shards = std::conditional_t<is_written, EncodedShardStore<>, DecodedShardStore<>>;

  Access opened(OpenArray<P>& array, Values const& values, RegularGrid const& grid, [[maybe_unused]] bool encodes) {
    Store const& store = store_of(values, grid.form);
    typename Access::Writing const* writing = nullptr;
    if constexpr (is_written) writing = &writing_.emplace(typename Access::Writing{store, encodes});
    ChunkNames const* names = &names_;
    if (grid.first_chunk)
      names = &part_names_.emplace(array.array->prefix, array.array->metadata.key_encoding, grid_of_shards_,
                                   *grid.first_chunk);
    return {store, *names, stages_, grid.form, array.fill_element(), indexes_.get(), grid.shape, writing};
  }
  Store const& store_of(Values const& values, [[maybe_unused]] ResolvedChunk const& form) {
    if constexpr (is_of_host)
      if (!form.shards.empty() && form.shards.front().behind) return shards_.emplace(values, form);
    return values;
  }

  P const stages_;
  std::conditional_t<is_of_host, std::optional<Shards>, std::monostate> shards_{};  // codecs behind them
  std::shared_ptr<ShardIndexCache> const indexes_;
  ShardGrid const* const grid_of_shards_;
  ArrayChunkNames const names_;
  std::optional<PartChunkNames> part_names_{};
  std::optional<typename Access::Writing> writing_{};
  Access const access_;
};

}}}  // namespace tessera::v0::detail
