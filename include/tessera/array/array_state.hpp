// What the handles of an open array that have one pipeline share.
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
#include <tessera/pipeline/form.hpp>
#include <tessera/plan/regular_parts.hpp>
#include <tessera/shard/index_cache.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/folder_lock.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Chunks of one shape that are read and written as an array of their own: an array's, or those of a part of it.
struct RegularGrid {
  ResolvedChunk const& form;
  Extents const& shape;                  ///< of the elements
  Extents const* first_chunk = nullptr;  ///< its place in the array's grid; null: the array's own first one
};

/// Of the handles with one pipeline. Threads share it. `P` is a pipeline's core: codecs that a program lists are no
/// part of its type.
template <class S, class P>
struct ArrayState {
  using queue_type = typename P::queue_type;
  using array_space = typename P::array_space;
  using UseGrid = FunctionRef<void(RegularGrid const&, ResolvedSelection const&, std::ptrdiff_t)>;

  /// Throws: MetadataError, if the pipeline cannot take chunks of this shape and type.
  ArrayState(S const& given, std::shared_ptr<SharedArray> opened, P codecs, queue_type queue);

  /// The metadata with the present shape.
  ArrayMetadata present_metadata() const;
  /// How many chunks an array of that shape has along each dimension.
  Extents grid_of(Extents grid) const;
  /// What is selected need not come from a selection, which would have seen to it. Returns the shape that it is inside
  /// of. Throws: SelectionError.
  Extents expect_inside(ResolvedSelection const& selected, Strides const& strides) const;

  /// All of an array of that shape. Throws: MetadataError, of a rectilinear grid.
  RegularGrid whole(Extents const& as) const;
  /// Calls f for all of a selection of an array of that shape: for each part of a rectilinear grid, and for the whole
  /// of any other. What of it is selected begins so many bytes behind the beginning of the memory.
  void for_each_part(Extents const& as, ResolvedSelection const& selected, Strides const& strides, UseGrid f);

  /// Indexes of shards: those that are kept, or new ones of the caller's own; null: there are no shards.
  std::shared_ptr<ShardIndexCache> indexes(RegularGrid const& of) const;
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
  ChunkSpecification specification_of(Extents const& chunk) const {
    return {chunk, metadata.type, metadata.fill, components_of(metadata.fields)};
  }
  bool has_parts() const { return !metadata.edges.empty(); }  // a rectilinear grid
  RegularGrid part_of(RegularPart const& part);

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
RegularGrid ArrayState<S, P>::whole(Extents const& as) const {
  if (has_parts())
    throw MetadataError{"chunk grid \"rectilinear\"",
                        "member chunk_grid: \"rectilinear\" is not supported by this call; read and write take it"};
  return {form, as};
}

template <class S, class P>
void ArrayState<S, P>::for_each_part(Extents const& as, ResolvedSelection const& selected, Strides const& strides,
                                     UseGrid f) {
  if (!has_parts()) return f(whole(as), selected, 0);
  for_each_regular_part(selected, chunk_axes(metadata.edges, as), as,
                        [&](RegularPart const& part, ResolvedSelection const& some, Extents const& target) {
                          std::ptrdiff_t offset = 0;
                          for (std::size_t d = 0; d < target.rank(); ++d)
                            offset += static_cast<std::ptrdiff_t>(target[d]) * strides[d];
                          f(part_of(part), some, offset);
                        });
}
// What of a part does not change is worked out once.
template <class S, class P>
RegularGrid ArrayState<S, P>::part_of(RegularPart const& part) {
  std::lock_guard lock{forms_mutex_};
  auto const name = to_string(part.chunk_shape);
  auto found = forms_.find(name);
  if (found == forms_.end()) found = forms_.emplace(name, pipeline.resolve(specification_of(part.chunk_shape))).first;
  return {found->second, part.shape, &part.first_chunk};
}

template <class S, class P>
std::shared_ptr<ShardIndexCache> ArrayState<S, P>::indexes(RegularGrid const& of) const {
  if (of.form.shards.empty()) return nullptr;
  if (!of.first_chunk)
    if (auto kept = array->indexes()) return kept;
  constexpr auto most = std::uint64_t{64} << 20;  // bytes of indexes: those of some shards at a time
  return std::make_shared<ShardIndexCache>(of.form.shards, most);
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
}}}  // namespace tessera::v0::detail
