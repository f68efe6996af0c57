// How the handles of an open array that have one pipeline reach its chunks.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/shared_array.hpp>
#include <tessera/array/shared_shape.hpp>
#include <tessera/core/element_reference.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/function_ref.hpp>
#include <tessera/core/text.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/node_document.hpp>
#include <tessera/pipeline/erased_pipeline.hpp>
#include <tessera/plan/regular_parts.hpp>
#include <tessera/shard/decoded_shard_store.hpp>
#include <tessera/shard/index_cache.hpp>
#include <tessera/store/erased_store.hpp>
#include <tessera/store/folder_lock.hpp>
#include <tessera/store/watch.hpp>
#include <tessera/transfer/chunk_access.hpp>
#include <tessera/transfer/part_chunk_names.hpp>
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

  /// A rectilinear grid, which is read and written part by part: each part as an array of its own.
  bool has_parts() const { return !metadata.edges.empty(); }
  /// Calls f for all of a selection of such an array of that shape.
  void for_each_part(Extents const& as, ResolvedSelection const& selected, UsePart f) const;
  void with_part(RegularPart const& part, UseChunks f);
  void with_writable_part(RegularPart const& part, UseChunks f);

  /// Of shards, from here on, among all calls: so many bytes, and none that were kept before; 0: each call has its own.
  void keep_indexes(std::uint64_t most);

  /// Locks the shape among all handles of the array, in this process and in others, if the store can.
  FolderLock lock_shape(Sharing sharing) const;
  /// The fill value as it stands in a chunk: of elements that vary in size, a reference to it.
  ByteView<space::Host> fill_element() const {
    if (!metadata.type.varies()) return {metadata.fill.data(), metadata.fill.size()};
    return {reinterpret_cast<std::byte const*>(&fill_), sizeof fill_};
  }
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

  // What is read or written as an array: this one, or a part of it.
  struct Whole {
    ResolvedChunk const& form;
    Extents const& shape;
    Extents const* first_chunk = nullptr;  // null: the array's own first one
  };
  ChunkSpecification specification_of(Extents const& chunk) const {
    return {chunk, metadata.type, metadata.fill, components_of(metadata.fields)};
  }
  Whole whole(Extents const& as) const;
  Whole part_of(RegularPart const& part);

  static bool has_encoded_shards(ResolvedChunk const& form);
  void with_reading(Whole const& of, UseChunks f);
  void with_writing(Whole const& of, Encoder const* encoder, UseChunks f);
  void with_access(Whole const& of, typename Access::Store const& chunks, typename Access::Writing const* writing,
                   UseChunks f);
  std::shared_ptr<ShardIndexCache> shards(Whole const& of);

  std::mutex forms_mutex_;
  std::map<std::string, ResolvedChunk> forms_;  // by the shape of a part's chunks

  ElementReference const fill_{metadata.fill.data(), metadata.fill.size()};
  std::mutex beside_mutex_;
  std::shared_ptr<void> beside_;  // of one type: null, as long as nobody asked for it
};

// Outside of the class they are not inline: a unit whose arrays are in a library compiles none of them.

template <class S, class P>
ArrayState<S, P>::ArrayState(S const& given, std::shared_ptr<SharedArray> opened, P codecs, queue_type queue)
    : array{std::move(opened)},
      store{given},
      pipeline{std::move(codecs)},
      form{pipeline.resolve(specification_of(metadata.chunk_shape))},
      on{std::move(queue)} {
  for (std::size_t d = 0; d < metadata.edges.size(); ++d)  // inner chunks divide all of them, or the array is refused
    for (auto const& run : metadata.edges[d].runs) {
      auto chunk = metadata.chunk_shape;
      chunk[d] = run.length;
      if (!form.shards.empty()) (void)pipeline.resolve(specification_of(chunk));
    }
}

template <class S, class P>
ArrayMetadata ArrayState<S, P>::present_metadata() const {
  auto present = metadata;
  present.shape = shape.get();
  return present;
}

template <class S, class P>
Extents ArrayState<S, P>::grid_of(Extents grid) const {
  if (has_parts()) {
    auto const axes = chunk_axes(metadata.edges, grid);
    for (std::size_t d = 0; d < grid.rank(); ++d) grid[d] = axes[d].chunks();
    return grid;
  }
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
void ArrayState<S, P>::for_each_part(Extents const& as, ResolvedSelection const& selected, UsePart f) const {
  for_each_regular_part(selected, chunk_axes(metadata.edges, as), as, f);
}

template <class S, class P>
auto ArrayState<S, P>::whole(Extents const& as) const -> Whole {
  if (has_parts())
    throw MetadataError{"chunk grid \"rectilinear\"",
                        "member chunk_grid: \"rectilinear\" is not supported by this call; read and write take it"};
  return {form, as};
}
// What of a part does not change is worked out once.
template <class S, class P>
auto ArrayState<S, P>::part_of(RegularPart const& part) -> Whole {
  std::lock_guard lock{forms_mutex_};
  auto const name = to_string(part.chunk_shape);
  auto found = forms_.find(name);
  if (found == forms_.end()) found = forms_.emplace(name, pipeline.resolve(specification_of(part.chunk_shape))).first;
  return {found->second, part.shape, &part.first_chunk};
}

template <class S, class P>
void ArrayState<S, P>::with_chunks(Extents const& as, UseChunks f) {
  with_reading(whole(as), f);
}
template <class S, class P>
void ArrayState<S, P>::with_part(RegularPart const& part, UseChunks f) {
  with_reading(part_of(part), f);
}
template <class S, class P>
void ArrayState<S, P>::with_reading(Whole const& of, UseChunks f) {
  ErasedStoreOf<S> const chunks{store, locks};
  if constexpr (P::may_encode_shards)
    if (has_encoded_shards(of.form)) {
      DecodedShardStore<> const decoded{chunks, of.form};
      return with_access(of, decoded, nullptr, f);
    }
  with_access(of, chunks, nullptr, f);
}
template <class S, class P>
void ArrayState<S, P>::with_writable_chunks(Extents const& as, UseChunks f) {
  EncoderOf<typename P::leaf_type> const encoder{pipeline.leaf()};
  with_writing(whole(as), &encoder, f);
}
template <class S, class P>
void ArrayState<S, P>::with_writable_part(RegularPart const& part, UseChunks f) {
  EncoderOf<typename P::leaf_type> const encoder{pipeline.leaf()};
  with_writing(part_of(part), &encoder, f);
}
template <class S, class P>
void ArrayState<S, P>::with_encoded_chunks(Extents const& as, UseChunks f) {
  with_writing(whole(as), nullptr, f);
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
    bool is_cut = has_parts();
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
bool ArrayState<S, P>::has_encoded_shards(ResolvedChunk const& form) {
  return !form.shards.empty() && form.shards.front().behind;
}

template <class S, class P>
void ArrayState<S, P>::with_writing(Whole const& of, Encoder const* encoder, UseChunks f) {
  ErasedWritableStoreOf<S> const chunks{store, locks};
  if constexpr (P::may_encode_shards)
    if (has_encoded_shards(of.form)) {
      EncodedShardStore<> const encoded{chunks, of.form};
      typename Access::Writing const writing{encoded, encoder};
      return with_access(of, encoded, &writing, f);
    }
  typename Access::Writing const writing{chunks, encoder};
  with_access(of, chunks, &writing, f);
}

template <class S, class P>
void ArrayState<S, P>::with_access(Whole const& of, typename Access::Store const& chunks,
                                   typename Access::Writing const* writing, UseChunks f) {
  auto const directory = shards(of);
  auto const* const grid = directory ? &directory->grid() : nullptr;
  ArrayChunkNames const names{prefix, metadata.key_encoding, grid};
  ErasedPipelineOf<typename P::leaf_type> const passed{pipeline.leaf()};
  auto const with_names = [&](ChunkNames const& called) {
    f(Access{chunks, called, passed, of.form, fill_element(), directory.get(), of.shape, writing});
  };
  if (!of.first_chunk) return with_names(names);
  with_names(PartChunkNames{prefix, metadata.key_encoding, grid, *of.first_chunk});
}

// What is kept, or one of the call's own; null: there are no shards. Who has it holds it.
template <class S, class P>
std::shared_ptr<ShardIndexCache> ArrayState<S, P>::shards(Whole const& of) {
  if (of.form.shards.empty()) return nullptr;
  if (!of.first_chunk)
    if (auto kept = array->indexes()) return kept;
  constexpr auto most = std::uint64_t{64} << 20;  // bytes of indexes: those of some shards at a time
  return std::make_shared<ShardIndexCache>(of.form.shards, most);
}

}}}  // namespace tessera::v0::detail
