// How the handles of an open array that have one pipeline reach its chunks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/shared_array.hpp>
#include <tessera/array/shared_shape.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/function_ref.hpp>
#include <tessera/core/text.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/node_document.hpp>
#include <tessera/pipeline/erased_pipeline.hpp>
#include <tessera/shard/decoded_shard_store.hpp>
#include <tessera/shard/index_cache.hpp>
#include <tessera/store/erased_store.hpp>
#include <tessera/store/folder_lock.hpp>
#include <tessera/store/watch.hpp>
#include <tessera/transfer/chunk_access.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Of the handles with one pipeline. Threads share it. `P` is a pipeline's core: codecs that a program lists are no
/// part of its type.
template <class S, class P>
struct ArrayState {
  using queue_type = typename P::queue_type;
  using Access = ChunkAccess<erased_t<typename P::leaf_type>>;
  using UseChunks = FunctionRef<void(Access const&)>;

  /// Throws: MetadataError, if the pipeline cannot take chunks of this shape and type.
  ArrayState(S const& given, std::shared_ptr<SharedArray> opened, P codecs, queue_type queue);

  /// The metadata with the present shape.
  ArrayMetadata present_metadata() const;
  /// How many chunks an array of that shape has along each dimension.
  Extents grid_of(Extents grid) const;
  /// What is selected need not come from a selection, which would have seen to it. Returns the shape that it is inside
  /// of. Throws: SelectionError.
  Extents expect_inside(ResolvedSelection const& selected, Strides const& strides) const;

  /// Calls f with the chunks, as if the array had that shape. What one read knows of shards is of one call.
  void with_chunks(Extents const& as, UseChunks f);
  /// Likewise, to be written.
  void with_writable_chunks(Extents const& as, UseChunks f);
  /// Likewise; chunks are written as they are encoded, and codecs may be such as only decode.
  void with_encoded_chunks(Extents const& as, UseChunks f);

  /// Of shards, from here on, among all calls: so many bytes, and none that were kept before; 0: each call has its own.
  void keep_indexes(std::uint64_t most);

  /// Locks the shape among all handles of the array, in this process and in others, if the store can.
  FolderLock lock_shape(Sharing sharing) const;
  /// For writes: holds the shape, as the document says it, if chunks reach beyond it. What lies beyond may be elements
  /// by now, of a handle that grew the array.
  FolderLock hold_shape();

  /// The same array's state of type `Other`, which `make` makes once.
  template <class Other, class Make>
  std::shared_ptr<Other> beside(Make&& make) {
    std::lock_guard lock{beside_mutex_};
    if (!beside_) beside_ = std::shared_ptr<Other>{make()};
    return std::static_pointer_cast<Other>(beside_);
  }

  std::shared_ptr<SharedArray> const array;
  S store;
  std::string const &path = array->path, &prefix = array->prefix;
  ArrayMetadata const& metadata = array->metadata;
  SharedShape& shape = array->shape;
  KeyLocks& locks = array->locks;
  P pipeline;
  ResolvedChunk form;
  queue_type on;

 private:
  using Encoder = typename erased_t<typename P::leaf_type>::Encoder;

  bool has_encoded_shards() const;
  void with_writing(Extents const& as, Encoder const* encoder, UseChunks f);
  void with_access(Extents const& as, typename Access::Store const& chunks, typename Access::Writing const* writing,
                   UseChunks f);
  std::shared_ptr<ShardIndexCache> shards();

  std::mutex beside_mutex_;
  std::shared_ptr<void> beside_;  // of one type: null, as long as nobody asked for it
};

// Outside of the class they are not inline: a unit whose arrays are in a library compiles none of them.

template <class S, class P>
ArrayState<S, P>::ArrayState(S const& given, std::shared_ptr<SharedArray> opened, P codecs, queue_type queue)
    : array{std::move(opened)},
      store{given},
      pipeline{std::move(codecs)},
      form{pipeline.resolve({metadata.chunk_shape, metadata.type, metadata.fill})},
      on{std::move(queue)} {}

template <class S, class P>
ArrayMetadata ArrayState<S, P>::present_metadata() const {
  auto present = metadata;
  present.shape = shape.get();
  return present;
}

template <class S, class P>
Extents ArrayState<S, P>::grid_of(Extents grid) const {
  for (std::size_t d = 0; d < grid.rank(); ++d) {
    auto const length = metadata.chunk_shape[d];
    grid[d] = grid[d] / length + (grid[d] % length != 0);
  }
  return grid;
}

template <class S, class P>
Extents ArrayState<S, P>::expect_inside(ResolvedSelection const& selected, Strides const& strides) const {
  return in_document(store, array->document, [&] {
    if (strides.rank() != selected.shape.rank())
      throw SelectionError{text({"found ", strides.rank(), " strides, expected ", selected.shape.rank()})};
    auto const now = shape.get();
    selected.expect_inside(now);
    return now;
  });
}

template <class S, class P>
void ArrayState<S, P>::with_chunks(Extents const& as, UseChunks f) {
  ErasedStoreOf<S> const chunks{store, locks};
  if constexpr (P::may_encode_shards)
    if (has_encoded_shards()) {
      DecodedShardStore<> const decoded{chunks, form};
      return with_access(as, decoded, nullptr, f);
    }
  with_access(as, chunks, nullptr, f);
}
template <class S, class P>
void ArrayState<S, P>::with_writable_chunks(Extents const& as, UseChunks f) {
  EncoderOf<typename P::leaf_type> const encoder{pipeline.leaf()};
  with_writing(as, &encoder, f);
}
template <class S, class P>
void ArrayState<S, P>::with_encoded_chunks(Extents const& as, UseChunks f) {
  with_writing(as, nullptr, f);
}

template <class S, class P>
void ArrayState<S, P>::keep_indexes(std::uint64_t most) {
  if (most == 0 || form.shards.empty()) return array->keep(nullptr);
  struct Kept {  // of levels of its own: handles with other pipelines may outlive this state
    Kept(std::vector<ShardLevel> const& of, std::uint64_t bytes) : levels{of}, indexes{levels, bytes} {}
    std::vector<ShardLevel> const levels;
    ShardIndexCache indexes;
  };
  auto kept = std::make_shared<Kept>(form.shards, most);
  auto* const indexes = &kept->indexes;
  array->keep({std::move(kept), indexes});
}

template <class S, class P>
FolderLock ArrayState<S, P>::lock_shape(Sharing sharing) const {
  return lock_folder(metadata_of(store), path, sharing);
}
template <class S, class P>
FolderLock ArrayState<S, P>::hold_shape() {
  auto const& documents = metadata_of(store);
  if constexpr (requires { documents.lock_folder(path, Sharing::shared); }) {
    auto const open = shape.get();
    bool is_cut = false;
    for (std::size_t d = 0; d < open.rank(); ++d) is_cut = is_cut || open[d] % metadata.chunk_shape[d] != 0;
    if (!is_cut) return {};
    auto held = lock_shape(Sharing::shared);
    array->read_shape(documents);
    return held;
  } else {
    return {};
  }
}

template <class S, class P>
bool ArrayState<S, P>::has_encoded_shards() const {
  return !form.shards.empty() && form.shards.front().behind;
}

template <class S, class P>
void ArrayState<S, P>::with_writing(Extents const& as, Encoder const* encoder, UseChunks f) {
  ErasedWritableStoreOf<S> const chunks{store, locks};
  if constexpr (P::may_encode_shards)
    if (has_encoded_shards()) {
      EncodedShardStore<> const encoded{chunks, form};
      typename Access::Writing const writing{encoded, encoder};
      return with_access(as, encoded, &writing, f);
    }
  typename Access::Writing const writing{chunks, encoder};
  with_access(as, chunks, &writing, f);
}

template <class S, class P>
void ArrayState<S, P>::with_access(Extents const& as, typename Access::Store const& chunks,
                                   typename Access::Writing const* writing, UseChunks f) {
  auto const directory = shards();
  ArrayChunkNames const names{prefix, metadata.key_encoding, directory ? &directory->grid() : nullptr};
  ErasedPipelineOf<typename P::leaf_type> const passed{pipeline.leaf()};
  f(Access{chunks, names, passed, form, {metadata.fill.data(), metadata.fill.size()}, directory.get(), as, writing});
}

// What is kept, or one of the call's own; null: there are no shards. Who has it holds it.
template <class S, class P>
std::shared_ptr<ShardIndexCache> ArrayState<S, P>::shards() {
  if (form.shards.empty()) return nullptr;
  if (auto kept = array->indexes()) return kept;
  constexpr auto most = std::uint64_t{64} << 20;  // bytes of indexes: those of some shards at a time
  return std::make_shared<ShardIndexCache>(form.shards, most);
}

}}}  // namespace tessera::v0::detail
