// AnyArray: an array whose element type and rank are known only at run time. Array is its typed form.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/detail/array_state.hpp>
#include <tessera/array/detail/calls_with_queue.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/erased_array_store.hpp>
#include <tessera/array/detail/invalid_call.hpp>
#include <tessera/array/detail/open_array.hpp>
#include <tessera/array/detail/other_space.hpp>
#include <tessera/array/detail/selection.hpp>
#include <tessera/array/detail/shared_array.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/metadata/attributes.hpp>
#include <tessera/metadata/detail/expected_element.hpp>
#include <tessera/metadata/detail/v2_words.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/pipeline/detail/in_shards.hpp>
#include <tessera/transfer/detail/option_defaults.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 {

template <Element T, std::size_t Rank = 0, class S = void, class P = void>
class Array;

/// A handle of an open array, of any element type and rank. Copies refer to the same array. Thread-safe: several
/// threads may read, write and change the shape at the same time.
template <class S, class P>
class AnyArray : public detail::BytesWithQueue<AnyArray<S, P>, typename P::queue_type, typename P::array_space> {
  using WithQueue = detail::BytesWithQueue<AnyArray, typename P::queue_type, typename P::array_space>;
  using Stages = detail::stages_of<typename P::leaf_type>;
  using State = detail::ArrayInStore<S, Stages>;
  using Open = detail::OpenArray<Stages>;

 public:
  using store_type = S;
  using pipeline_type = P;
  using array_space = typename P::array_space;
  using queue_type = typename P::queue_type;

  /// Throws: MetadataError, if the pipeline does not support chunks of this shape and type.
  AnyArray(S const& store, std::string path, ArrayMetadata metadata, queue_type on)
      : AnyArray{store, std::make_shared<detail::SharedArray>(std::move(path), std::move(metadata)), std::move(on)} {}
  AnyArray(S const& store, std::shared_ptr<detail::SharedArray> opened, queue_type on)
      : AnyArray{state_of(store, opened), {}, std::move(on)} {}

  /// The array's metadata as it was when the array was opened, but with the current shape.
  ArrayMetadata metadata() const { return state_->present_metadata(); }
  /// The attributes as they were when the array was opened; get_attributes() reads the current ones. On a temporary
  /// handle this returns a copy, which is safe to loop over. Throws: MetadataError, if the array is Zarr v2 and
  /// `.zattrs` is damaged.
  Members const& attributes() const& {
    detail::expect_attributes(state_->array->metadata.broken_attributes);
    return state_->array->metadata.attributes;
  }
  Members attributes() && { return static_cast<AnyArray const&>(*this).attributes(); }
  /// The current shape; copies of this handle may change it.
  Extents shape() const { return state_->array->shape.get(); }
  DataType type() const { return state_->array->metadata.type; }  ///< of its elements
  /// One for each dimension, or none. On a temporary handle this returns a copy.
  DimensionNames const& dimension_names() const& { return state_->array->metadata.dimension_names; }
  DimensionNames dimension_names() && { return state_->array->metadata.dimension_names; }
  /// The value of elements that were never written. Throws: MetadataError, if the array has another element type than
  /// T.
  template <Element T>
  T fill_value() const {
    detail::in_document(store(), document(), [&] { detail::expect_element<T>(*this); });
    return detail::ElementsOf<T>::of_fill(state_->array->metadata.fill);
  }
  /// The same array as an Array of this type and rank: `array.as<float, 3>()`. If the program does not know them, use
  /// visit of array/visit.hpp. Throws: MetadataError naming document and member, if the array has another type or rank.
  template <class T, std::size_t Rank>
  auto as() const;
  /// The shape of a shard, if the array has shards, and otherwise of a chunk, in elements. For a rectilinear grid, the
  /// greatest length along each dimension.
  Extents const& chunk_shape() const { return state_->array->metadata.chunk_shape; }
  /// The lengths of chunks in a rectilinear grid, along each dimension; empty for other grids.
  std::vector<ChunkEdges> const& edges() const { return state_->array->metadata.edges; }
  std::string const& path() const { return state_->array->path; }  ///< in the store; empty for the root
  /// The store that was passed when the array was opened. For a handle from `through`, it may be the host side of that
  /// store.
  S const& store() const { return static_cast<State const&>(*state_).store; }
  /// The key of its document: "t1/zarr.json", or "t1/.zarray" in Zarr v2.
  Key const& document() const { return state_->array->document; }

  /// The result of read and write: void for host memory, because the work is done when the call returns. Otherwise a
  /// Pending; the queue uses the memory until the Pending is done.
  using Completion = typename Open::Completion;

  using WithQueue::append, WithQueue::compact, WithQueue::read, WithQueue::read_listed, WithQueue::resize,
      WithQueue::write, WithQueue::write_listed;

  /// Reads a selection into memory of array_space. Strides are in bytes, one per dimension of the memory. Throws:
  /// StoreError, CodecError, with the key; SelectionError; Cancelled. If it throws, no work is in progress any more.
  auto read(ResolvedSelection const& selected, StridedSpan<array_space> to, ReadOptions const& options = {}) const {
    expect_fixed_size();
    return read_into(selected, to, options);
  }
  /// As read, with the placer of the destination, which may convert elements or construct strings: array/strings.hpp,
  /// array/detail/converted.hpp.
  auto read_into(ResolvedSelection const& selected, StridedSpan<array_space> const& to,
                 ReadOptions const& options) const {
    if constexpr (detail::check_placer<array_space>())
      return state_->read(selected, to, on_, options, defaults_);
    else
      return detail::InvalidCall{};
  }
  /// Not callable: its compile error says that the element type is missing.
  template <detail::Selector Sel = Box>
  auto read(Sel const&) const {
    static_assert(!std::same_as<Sel, Sel>,
                  "tessera: the element type of this array is known only at run time: visit(array, f) of "
                  "<tessera/array/visit.hpp> calls f with a typed array, read_as<double>(array, selection) of "
                  "<tessera/array/convert.hpp> converts the elements, and array.as<float, 3>() expects that type and "
                  "rank");
    return detail::InvalidCall{};
  }

  /// For custom reads: calls f(ChunkAccess) and returns what read returns. When f returns, any unfinished work of it
  /// must be on `queue()`. Throws: SelectionError; exceptions of f.
  Completion for_chunks(ResolvedSelection const& selected, Strides const& strides, typename Open::UseChunks f) const {
    return state_->for_chunks(selected, strides, on_, f);
  }

  /// For custom writes to a regular grid: calls f(ChunkAccess, Extents) with the current shape, which does not change
  /// during the call. Throws: exceptions of f; Cancelled, if it waits for the shape and `stop` becomes true.
  void for_written_chunks(typename Open::UseWritten f, Stop stop = nullptr) const {
    state_->for_written_chunks(writable(), on_, f, stop);
  }

  /// Writes a selection from memory of array_space. Elements of a chunk that are not selected keep their values, also
  /// if other threads write to the chunk through this store or its copies. Throws: as read.
  auto write(ResolvedSelection const& selected, StridedView<array_space> from, WriteOptions const& options = {}) const {
    expect_fixed_size();
    return write_from(selected, from, options);
  }
  /// As write, with the placer of the source, which may convert elements or read strings.
  auto write_from(ResolvedSelection const& selected, StridedView<array_space> const& from,
                  WriteOptions const& options) const {
    if constexpr (detail::check_writable<S>() && detail::check_placer<array_space>()) {
      P::leaf_type::check_encodes();
      return state_->write(writable(), selected, from, on_, options, defaults_);
    } else {
      return detail::InvalidCall{};
    }
  }

  /// For processes that change the shape together: as write_from, into an array of the shape `as`, whatever its
  /// document says. Elements beyond the document's shape can be read when the document has that shape. Sends no request
  /// for the document. Throws: as write.
  auto write_as(Extents const& as, ResolvedSelection const& selected, StridedView<array_space> const& from,
                WriteOptions const& options = {}) const {
    if constexpr (detail::check_writable<S>() && detail::check_placer<array_space>()) {
      P::leaf_type::check_encodes();
      return state_->write_as(writable(), as, selected, from, on_, options, defaults_);
    } else {
      return detail::InvalidCall{};
    }
  }
  /// For processes that change the shape together: sets the shape that all copies of this handle show, to that of the
  /// document. Sends no request.
  void adopt_shape(Extents const& shape) const { state_->array->shape.set(shape); }

  /// Reads inner chunks, whose shape is `inner_chunk_shape()`. Each goes to the element `target` of the memory at
  /// to.data; the strides in `to` are those between elements of a chunk. Otherwise like read. Requires: each chunk is
  /// listed once, and those of one shard follow each other; the list is in use until the call returns.
  auto read_listed(std::span<PlacedChunk const> listed, StridedSpan<array_space> to,
                   ReadOptions const& options = {}) const {
    expect_fixed_size();
    return read_listed_into(listed, to, options);
  }
  /// As read_listed, with the placer of the destination. `from`: a store to read instead of this array's, with the same
  /// values.
  auto read_listed_into(std::span<PlacedChunk const> listed, StridedSpan<array_space> const& to,
                        ReadOptions const& options, typename Open::Readable const* from = nullptr) const {
    return state_->read_listed(from ? *from : state_->readable(), listed, to, on_, options, defaults_);
  }
  typename Open::Readable const& readable() const { return state_->readable(); }  ///< the store, for such reads
  /// Writes inner chunks, placed as for read_listed. Otherwise like write.
  auto write_listed(std::span<PlacedChunk const> listed, StridedView<array_space> from,
                    WriteOptions const& options = {}) const {
    expect_fixed_size();
    P::leaf_type::check_encodes();
    return state_->write_listed(writable(), listed, from, on_, options, defaults_);
  }

  /// The elements in one chunk, given by its position in the grid. Throws: SelectionError.
  Box chunk_box(Extents const& chunk) const { return state_->chunk_box(chunk); }
  /// The shape of the innermost chunks of shards, which are fetched and decoded one by one; without shards, the chunk
  /// shape.
  Extents const& inner_chunk_shape() const { return state_->form.layout.shape; }
  /// Whether the bytes of a stored chunk are its elements as in memory, so that a read of some elements fetches only
  /// these.
  bool has_chunks_as_in_memory() const { return state_->form.is_view(); }
  /// The number of chunks along each dimension.
  Extents grid_shape() const { return state_->grid_of(shape()); }

  /// Gives the array another shape of the same rank. New elements have the fill value. Chunks outside the new shape are
  /// erased, and cut parts of others are cleared. If an error or a kill of the process interrupts this, the array has
  /// the old shape and all its elements, or the new one (array/detail/change_shape.hpp). Copies of this handle show the
  /// new shape; their writes and shape changes wait for this one, and it waits for them. Handles that were opened
  /// separately keep the old shape: reopen them before they write. Returns when the store has the shape; a device's
  /// queue may still be at work. Throws: SelectionError, MetadataError, if the array cannot have that shape;
  /// StoreError, CodecError, with the key.
  void resize(Extents const& shape) const {
    if constexpr (detail::check_writable<S>() && detail::check_documents<S>() && detail::check_placer<array_space>())
      state_->resize(writable(), shape, on_);
  }

  /// Grows the array along one dimension by elements of the shape `block` in memory of array_space, strides in bytes.
  /// Appends through copies of this handle run one after the other. As with resize, a reader sees either none of the
  /// block or all of it, and all of it after this call has returned. Returns what write returns. Throws:
  /// SelectionError, if the block does not match the array in its other dimensions; Cancelled; as resize.
  auto append(std::size_t axis, Extents const& block, StridedView<array_space> from,
              WriteOptions const& options = {}) const {
    expect_fixed_size();
    return append_from(axis, block, from, options);
  }
  /// As append, with the placer of the source.
  auto append_from(std::size_t axis, Extents const& block, StridedView<array_space> const& from,
                   WriteOptions const& options) const {
    if constexpr (detail::check_writable<S>() && detail::check_documents<S>() && detail::check_placer<array_space>()) {
      P::leaf_type::check_encodes();
      return state_->append(writable(), axis, block, from, on_, options, defaults_);
    } else {
      return detail::InvalidCall{};
    }
  }

  /// Keeps indexes of shards between reads, at most `most` bytes, for all copies of this handle: reads of inner chunks
  /// in known shards then read only those chunks. If they exceed `most`, drops the least recently used ones, but keeps
  /// at least one, whatever its size. 0 drops all; each read then fetches the indexes that it needs, as after opening.
  /// Reads notice writes of arrays through this store and its copies, but no others: by another process, directly into
  /// the store, or through a second store of the same folder. If such a writer replaces a shard, reads use the offsets
  /// of the old index in the new value, until you call this again. Thread-safe.
  void keep_shard_indexes(std::uint64_t most) const { state_->keep_indexes(most); }

  /// Rewrites shards that have unused bytes, such as `append_to_shards` leaves, or inner chunks out of C order.
  /// Replaces shards one by one, each atomically. Reads only the index of a shard that needs no change, and decodes no
  /// chunks. Returns, when the store has the new shards, the number of bytes by which shards became smaller, before any
  /// codecs that follow them; 0 for an array without shards. Throws: StoreError, CodecError, with the key; Cancelled.
  std::uint64_t compact(CompactOptions const& options = {}) const { return compact_some(nullptr, options); }
  /// Only shards with selected elements. Throws: SelectionError too.
  std::uint64_t compact(ResolvedSelection const& selected, CompactOptions const& options = {}) const {
    return compact_some(&selected, options);
  }

  /// Does the work of this handle's reads and writes.
  queue_type& queue() const { return on_; }
  /// A handle of the same array whose work is done by this queue: `array.on(queue).read(all, memory)`. It shares the
  /// queue with its other handles.
  AnyArray on(queue_type const& queue) const { return {state_, defaults_, queue}; }

  /// The same array through other codecs and in another memory space: `array.through<OnHost>()`, for a pipeline or a
  /// list of codecs, as for open_any. The new handle, this one and its copies share one array: shape, locks of chunks,
  /// kept indexes of shards, attributes and default options. The document is not read again. If the pipeline ends in
  /// host memory and the store's buffers are elsewhere, it uses the store's host side, which a LocalStore has.
  ///
  /// `through<space::Host>()` is the array in host memory, with this array's codecs if they run on the host; no bytes
  /// are copied between spaces.
  ///
  /// The work runs on the given queue. Without one, it runs on this handle's queue, or on its host queue if the new
  /// pipeline is for host memory. Throws: MetadataError, if the document names other codecs.
  template <class Named, class... On>
  auto through(On... on) const {
    if constexpr (!detail::check_through<Named, S, P, On...>()) {
      return detail::InvalidCall{};
    } else {
      using Other = typename detail::pipeline_through<Named, S, P>::type;
      auto const side = [&] { return detail::side_of<typename Other::bytes_space>(store(), on_); };
      using There = AnyArray<decltype(side()), Other>;
      auto const make = [&] { return There::state_of(side(), state_->array); };
      auto queue = detail::queue_beside<typename Other::queue_type>(on_, std::move(on)...);
      if constexpr (std::same_as<Named, space::Host>)  // called by each read<HostBuffer>
        return There{state_->template beside<typename There::Open>(make), defaults_, std::move(queue)};
      else
        return There{make(), defaults_, std::move(queue)};
    }
  }

  /// A handle of the same array with these default options for reads or writes, which a call may override:
  /// `array.with(ReadOptions{.memory = 1 << 30})`. Its copies and results of `as` use them too.
  AnyArray with(ReadOptions const& options) const { return {state_, defaults_.with(options), on_}; }
  AnyArray with(WriteOptions const& options) const { return {state_, defaults_.with(options), on_}; }

 private:
  template <class OtherStore, class OtherPipeline>
  friend class AnyArray;

  AnyArray(std::shared_ptr<Open> state, detail::OptionDefaults defaults, queue_type on)
      : state_{std::move(state)}, defaults_{std::move(defaults)}, on_{std::move(on)} {}

  static std::shared_ptr<Open> state_of(S const& store, std::shared_ptr<detail::SharedArray> const& opened) {
    return detail::with_shards<P>(opened->metadata.codecs, [&]<class Q>(std::type_identity<Q>) {
      return detail::ArrayState<S, typename Q::core_type>::make(
          store, [](auto codecs) -> typename Q::core_type { return Q::from(codecs); }, opened);
    });
  }

  // The store for one call, which does not use it after it returns.
  auto writable() const { return detail::ErasedArrayStoreOf<S>{store(), state_->array->locks}; }

  void expect_fixed_size() const { state_->expect_fixed_size(); }

  // Null: all shards.
  std::uint64_t compact_some(ResolvedSelection const* selected, CompactOptions const& options) const {
    if constexpr (detail::check_writable<S>())
      return state_->compact(writable(), selected, on_, options);
    else
      return 0;
  }

  std::shared_ptr<Open> state_;  // a State
  detail::OptionDefaults defaults_;
  queue_type mutable on_;  // const handles give it work; copies are the same queue
};

}}  // namespace tessera::v0
