// OpenArray: an open array of any store and codecs between two memory spaces, shared by handles with one pipeline.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/array/detail/erased_array_store.hpp>
#include <tessera/array/detail/shared_array.hpp>
#include <tessera/core/detail/element_reference.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/pipeline/detail/any_stage.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/place/detail/any_placer.hpp>
#include <tessera/store/detail/erased_store.hpp>
#include <tessera/store/locks.hpp>
#include <tessera/transfer/detail/option_defaults.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/resolved_selection.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 {

template <class P>
struct ChunkAccess;
struct PlacedChunk;
class ShardIndexCache;

namespace detail {

struct RegularPart;

/// Chunks of one shape that are read and written like an array: an array's chunks, or those of a part of it.
struct RegularGrid {
  ResolvedChunk const& form;
  Extents const& shape;                  ///< in elements
  Extents const* first_chunk = nullptr;  ///< its position in the array's grid; null: the array's first chunk
};

/// `P` is the Stages that a chunk passes. Calls that write get the store from the caller, so that a program that only
/// reads compiles no writing. Threads share it. AnyArray documents the calls; `usual` are its handle's defaults.
template <class P>
class OpenArray : public std::enable_shared_from_this<OpenArray<P>> {
 public:
  using array_space = typename P::array_space;
  using bytes_space = typename P::bytes_space;
  using queue_type = typename P::queue_type;
  using Readable = ErasedStore<bytes_space>;
  using Writable = ErasedArrayStore<bytes_space>;
  using Completion = std::conditional_t<std::same_as<array_space, space::Host>, void, Pending>;
  using UseGrid = FunctionRef<void(RegularGrid const&, ResolvedSelection const&, std::ptrdiff_t)>;
  using UseListed = FunctionRef<void(RegularGrid const&, std::span<PlacedChunk const>)>;
  using UseChunks = FunctionRef<void(ChunkAccess<P> const&)>;
  using UseWritten = FunctionRef<void(ChunkAccess<P> const&, Extents const&)>;

  virtual ~OpenArray();
  OpenArray(OpenArray const&) = delete;
  OpenArray& operator=(OpenArray const&) = delete;

  virtual std::string name() const = 0;  ///< of the store with its document, for errors
  virtual std::string store_name() const = 0;
  virtual Readable const& readable() const = 0;
  virtual ResolvedChunk resolve(ChunkSpecification const&) const = 0;  ///< Throws: MetadataError
  virtual void check_encoding() const = 0;                             ///< a Pipeline's expect_encodes

  /// With the present shape.
  ArrayMetadata present_metadata() const;
  /// The number of chunks in an array of that shape along each dimension.
  Extents grid_of(Extents shape) const;
  Box chunk_box(Extents const& chunk) const;
  /// The fill value as an element in a chunk: if elements vary in size, a reference to it.
  ByteView<space::Host> fill_element() const;
  /// For calls that treat memory as bytes. Throws: MetadataError, if elements are objects that own memory.
  void expect_fixed_size() const;

  Completion read(ResolvedSelection const&, StridedSpan<array_space> const& to, queue_type& on, ReadOptions const&,
                  OptionDefaults const& usual);
  Completion read_listed(Readable const&, std::span<PlacedChunk const>, StridedSpan<array_space> const& to,
                         queue_type& on, ReadOptions const&, OptionDefaults const& usual);
  Completion for_chunks(ResolvedSelection const&, Strides const&, queue_type& on, UseChunks);

  Completion write(Writable const&, ResolvedSelection const&, StridedView<array_space> const& from, queue_type& on,
                   WriteOptions const&, OptionDefaults const& usual);
  /// As write, into an array of the shape `as`, whatever its document says.
  Completion write_as(Writable const&, Extents const& as, ResolvedSelection const&,
                      StridedView<array_space> const& from, queue_type& on, WriteOptions const&,
                      OptionDefaults const& usual);
  Completion write_listed(Writable const&, std::span<PlacedChunk const>, StridedView<array_space> const& from,
                          queue_type& on, WriteOptions const&, OptionDefaults const& usual);
  void for_written_chunks(Writable const&, queue_type& on, UseWritten, Stop);

  void resize(Writable const&, Extents const& shape, queue_type& on);
  Completion append(Writable const&, std::size_t axis, Extents const& block, StridedView<array_space> const& from,
                    queue_type& on, WriteOptions const&, OptionDefaults const& usual);
  /// Null `selected`: all shards.
  std::uint64_t compact(Writable const&, ResolvedSelection const* selected, queue_type& on, CompactOptions const&);
  /// Keeps at most `most` bytes of shard indexes for all later calls; 0: each call has its own.
  void keep_indexes(std::uint64_t most);

  // For the steps of these calls, each in a file of its own.

  /// Checks a ResolvedSelection, because callers may make their own. Returns the shape that contains it. Throws:
  /// SelectionError.
  Extents expect_inside(ResolvedSelection const& selected, Strides const& strides) const;
  /// All of an array of that shape. Throws: MetadataError, for a rectilinear grid.
  RegularGrid whole(Extents const& as) const;
  /// Calls f for a selection of an array of that shape: for each part of a rectilinear grid, or once for any other
  /// grid. The last argument of f is the offset of the part's elements in memory, in bytes.
  void for_each_part(Extents const& as, ResolvedSelection const& selected, Strides const& strides, UseGrid f);
  /// The same for a list of chunks, which are numbered in the part.
  void for_each_part(Extents const& as, std::span<PlacedChunk const> listed, UseListed f);
  /// Indexes of shards: the kept ones, or new ones for the caller; null: no shards.
  std::shared_ptr<ShardIndexCache> indexes(RegularGrid const& of) const;
  /// For writes: holds the shape in the document, if chunks reach beyond it, because another handle may have grown the
  /// array there.
  FolderLock hold_shape(Writable const& store, Stop stop);

  /// State of type `Other` for the same array, which `make` makes once.
  template <class Other, class Make>
  std::shared_ptr<Other> beside(Make&& make) {
    std::lock_guard lock{beside_mutex_};
    if (!beside_) beside_ = std::shared_ptr<Other>{make()};
    return std::static_pointer_cast<Other>(beside_);
  }

  std::shared_ptr<SharedArray> const array;
  ResolvedChunk const form;
  std::vector<AnyStage const*> const stages;  ///< those that a chunk at the bottom of shards passes

 protected:
  /// Requires: the derived class owns the stages.
  OpenArray(std::shared_ptr<SharedArray> const& opened, ResolvedChunk resolved, StageList of);
  static ChunkSpecification specification_of(ArrayMetadata const& metadata, Extents const& chunk);
  /// Throws: MetadataError, if inner chunks do not divide all chunks of a rectilinear grid.
  void expect_all_resolve() const;

 private:
  bool has_parts() const { return !array->metadata.edges.empty(); }  // a rectilinear grid
  RegularGrid part_of(RegularPart const& part);
  ResolvedSelection surrounding_of(std::span<PlacedChunk const> listed) const;
  void expect_encodes() const;

  std::mutex forms_mutex_;
  std::map<std::string, ResolvedChunk> forms_;  // by the shape of a part's chunks

  ElementReference const fill_;
  std::mutex beside_mutex_;
  std::shared_ptr<void> beside_;  // of one type; null until it is needed
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/open_array.tpp>
#endif
