// An array whose element type and rank are known when it is opened. Array is its typed front.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/array_state.hpp>
#include <tessera/array/change_shape.hpp>
#include <tessera/array/chunk_box.hpp>
#include <tessera/array/compact_array.hpp>
#include <tessera/array/elements.hpp>
#include <tessera/array/invalid_call.hpp>
#include <tessera/array/open_chunks.hpp>
#include <tessera/array/other_side.hpp>
#include <tessera/array/selection.hpp>
#include <tessera/array/shared_array.hpp>
#include <tessera/array/under_way.hpp>
#include <tessera/array/write_parts.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/attributes.hpp>
#include <tessera/metadata/expected_element.hpp>
#include <tessera/metadata/v2_words.hpp>
#include <tessera/transfer/compact_shards.hpp>
#include <tessera/transfer/option_defaults.hpp>
#include <tessera/transfer/read.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 {

template <Element T, std::size_t Rank = 0, class S = void, class P = void>
class Array;

/// A handle: copies show the same array. For any thread: reads, writes and changes of the shape may run at once.
template <class S, class P>
class AnyArray {
 public:
  using store_type = S;
  using pipeline_type = P;
  using array_space = typename P::array_space;
  using queue_type = typename P::queue_type;

  /// Throws: MetadataError, if the pipeline cannot take chunks of this shape and type.
  AnyArray(S const& store, std::string path, ArrayMetadata metadata, queue_type on)
      : AnyArray{store, std::make_shared<detail::SharedArray>(std::move(path), std::move(metadata)), std::move(on)} {}
  AnyArray(S const& store, std::shared_ptr<detail::SharedArray> opened, queue_type on)
      : state_{state_of(store, std::move(opened), std::move(on))} {}

  /// What its document said when the array was opened, except the shape, which is the present one.
  ArrayMetadata metadata() const { return state_->present_metadata(); }
  /// The attributes when the array was opened; get_attributes() gives those that the store has now. Of a temporary
  /// handle it is a copy, which you may loop over.
  Members const& attributes() const& { return state_->metadata.attributes; }
  Members attributes() && { return state_->metadata.attributes; }
  /// The present shape: copies of this handle may change it.
  Extents shape() const { return state_->shape.get(); }
  DataType type() const { return state_->metadata.type; }
  DimensionNames const& dimension_names() const& { return state_->metadata.dimension_names; }
  DimensionNames dimension_names() && { return state_->metadata.dimension_names; }
  /// What an element is that nobody has written. Throws: MetadataError, if it is of another type.
  template <Element T>
  T fill_value() const {
    detail::in_document(store(), document(), [&] { detail::expect_element<T>(*this); });
    return detail::ElementsOf<T>::of_fill(state_->metadata.fill);
  }
  /// The same array, as one of that type and rank: `array.as<float, 3>()`. array/visit.hpp finds out type and rank.
  /// Throws: MetadataError naming document and member, if the array has others.
  template <class T, std::size_t Rank>
  auto as() const;
  Extents const& chunk_shape() const { return state_->metadata.chunk_shape; }
  /// The lengths of chunks in a rectilinear grid, along each dimension; of any other grid empty.
  std::vector<ChunkEdges> const& edges() const { return state_->metadata.edges; }
  std::string const& path() const { return state_->path; }  ///< in the store; the root's is empty
  S const& store() const { return state_->store; }
  /// Where its document is: "t1/zarr.json", or "t1/.zarray" in Zarr v2.
  Key const& document() const { return state_->array->document; }

  /// What a read or a write returns. With the host's memory it returns nothing, because it is done; else a Pending,
  /// because the queue is still at work, and the memory is in use until that is done.
  using Completion = std::conditional_t<std::same_as<array_space, space::Host>, void, Pending>;

  /// Reads a selection into memory of array_space. Strides are in bytes, one per dimension of the memory. Throws:
  /// StoreError, CodecError, with the key; SelectionError; Cancelled. It throws only when nothing is under way any
  /// more.
  auto read(ResolvedSelection const& selected, StridedSpan<array_space> to, queue_type& on,
            ReadOptions const& options = {}) const {
    expect_fixed_size();
    return read_into(selected, to, on, options);
  }
  /// The same, into something like a StridedSpan: array/strings.hpp.
  template <class To>
  auto read_into(ResolvedSelection const& selected, To const& to, queue_type& on, ReadOptions const& options) const {
    if constexpr (detail::check_placer<array_space>()) {
      auto const used = defaults_.used_for(options);
      auto const now = state_->expect_inside(selected, to.strides);
      auto const read = [&](auto const& grid, ResolvedSelection const& some, std::ptrdiff_t offset) {
        Chunks const chunks{*state_, grid};
        auto there = to;
        there.data += offset;
        read_chunks(chunks.access(), some, there, on, used.get());
      };
      return detail::run_call(state_, "a read", selected, on,
                              [&] { state_->for_each_part(now, selected, to.strides, read); });
    } else {
      return detail::InvalidCall{};
    }
  }
  auto read(ResolvedSelection const& selected, StridedSpan<array_space> to, ReadOptions const& options = {}) const {
    return read(selected, to, state_->on, options);
  }
  /// Not a function to call: its message says that the type of the elements is missing.
  template <detail::Selector Sel = Box>
  auto read(Sel const&) const {
    static_assert(sizeof(Sel) == 0,
                  "tessera: only the file knows what this array's elements are: visit(array, f) of "
                  "<tessera/array/visit.hpp> calls f with the array as one of their type, read_as<double>(array, "
                  "selection) of <tessera/array/convert.hpp> converts them, and array.as<float, 3>() expects that type "
                  "and rank");
    return detail::InvalidCall{};
  }

  /// For your own way of reading a selection's chunks: calls f(ChunkAccess) and returns what read returns. When f
  /// returns, nothing may be under way except the work of `on`. Throws: SelectionError; what f throws.
  template <class F>
  Completion for_chunks(ResolvedSelection const& selected, Strides const& strides, queue_type& on, F&& f) const {
    auto const now = state_->expect_inside(selected, strides);
    return detail::run_call(state_, "a read", selected, on, [&] {
      Chunks const chunks{*state_, state_->whole(now)};
      f(chunks.access());
    });
  }

  /// Likewise, of any grid: calls f(ChunkAccess, ResolvedSelection, std::ptrdiff_t) for the parts of the array whose
  /// chunks are all of one shape, as if each were an array of its own; what of it is selected begins so many bytes
  /// behind the beginning of the memory. A regular grid is one part.
  template <class F>
  Completion for_parts(ResolvedSelection const& selected, Strides const& strides, queue_type& on, F&& f) const {
    auto const now = state_->expect_inside(selected, strides);
    auto const read = [&](auto const& grid, ResolvedSelection const& some, std::ptrdiff_t offset) {
      Chunks const chunks{*state_, grid};
      f(chunks.access(), some, offset);
    };
    return detail::run_call(state_, "a read", selected, on,
                            [&] { state_->for_each_part(now, selected, strides, read); });
  }

  /// Writes a selection from memory of array_space. A write of part of a chunk leaves the rest as it is, among all
  /// threads that write through this store and its copies. Throws: as read.
  auto write(ResolvedSelection const& selected, StridedView<array_space> from, queue_type& on,
             WriteOptions const& options = {}) const {
    expect_fixed_size();
    return write_from(selected, from, on, options);
  }
  /// The same, from something like a StridedView: array/converted.hpp, array/strings.hpp.
  template <class From>
  auto write_from(ResolvedSelection const& selected, From const& from, queue_type& on,
                  WriteOptions const& options) const {
    if constexpr (detail::check_writable<S>() && detail::check_placer<array_space>()) {
      auto const held = state_->shape.hold();
      auto const shared = state_->hold_shape();
      auto const now = state_->expect_inside(selected, from.strides);
      auto const used = defaults_.used_for(options);
      return detail::run_call(state_, "a write", selected, on,
                              [&] { detail::write_parts(*state_, now, selected, from, on, used.get()); });
    } else {
      return detail::InvalidCall{};
    }
  }
  auto write(ResolvedSelection const& selected, StridedView<array_space> from, WriteOptions const& options = {}) const {
    return write(selected, from, state_->on, options);
  }

  /// Reads inner chunks, as `inner_chunk_shape` has them, each to a place of its own: element `target` of the memory
  /// that begins at to.data, whose strides are those of a chunk's elements. As read. Requires: each is listed once, and
  /// those of one shard follow each other; the list is in use until the call returns.
  auto read_listed(std::span<PlacedChunk const> listed, StridedSpan<array_space> to, queue_type& on,
                   ReadOptions const& options = {}) const {
    expect_fixed_size();
    ResolvedSelection const surrounding = surrounding_of(listed);
    auto const now = state_->expect_inside(surrounding, to.strides);
    auto const used = defaults_.used_for(options);
    return detail::run_call(state_, "a read", surrounding, on, [&] {
      Chunks const chunks{*state_, state_->whole(now)};
      read_chunks(chunks.access(), Plan{listed, shape(), inner_chunk_shape()}, to, on, used.get());
    });
  }
  /// Likewise, writes them. As write.
  auto write_listed(std::span<PlacedChunk const> listed, StridedView<array_space> from, queue_type& on,
                    WriteOptions const& options = {}) const {
    expect_fixed_size();
    auto const held = state_->shape.hold();
    auto const shared = state_->hold_shape();
    ResolvedSelection const surrounding = surrounding_of(listed);
    auto const now = state_->expect_inside(surrounding, from.strides);
    auto const used = defaults_.used_for(options);
    return detail::run_call(state_, "a write", surrounding, on, [&] {
      Plan const plan{listed, now, inner_chunk_shape()};
      detail::write_grid(*state_, state_->whole(now), plan, from, on, used.get());
    });
  }

  /// The part of the array that is in one chunk, given by its place in the grid. Throws: SelectionError.
  Box chunk_box(Extents const& chunk) const {
    return detail::in_document(store(), document(), [&] {
      auto const now = shape();
      return detail::box_of_chunk(chunk, state_->grid_of(now), now, chunk_shape(), edges());
    });
  }
  /// The shape of the chunks at the bottom of shards, which are fetched and decoded alone; without shards, the chunk
  /// shape.
  Extents const& inner_chunk_shape() const { return state_->form.layout.shape; }
  /// The number of chunks along each dimension.
  Extents grid_shape() const { return state_->grid_of(shape()); }

  /// Gives the array another shape of the same rank. Where it grows, it has the fill value. Where it shrinks, chunks
  /// outside are erased, and the cut parts of others are cleared. Wherever this ends, by an error or because the
  /// process is killed, the array has the old shape and all its elements, or the new one: array/resize.hpp says why.
  /// Copies of this handle show the new shape; their writes, and other changes of the shape, wait for this one, and it
  /// waits for them. Handles that were opened separately keep the old shape: open them anew before they write. Returns
  /// when the store has the shape; a device's queue may still be at work. Throws: SelectionError, MetadataError, if the
  /// array cannot have that shape; StoreError, CodecError, with the key.
  void resize(Extents const& shape, queue_type& on) const {
    if constexpr (detail::check_writable<S>() && detail::check_documents<S>() && detail::check_placer<array_space>())
      detail::change_shape(*state_, shape, on);
  }
  void resize(Extents const& shape) const { resize(shape, state_->on); }

  /// Grows the array along one dimension by elements of the shape `block`, which lie in memory of array_space, strides
  /// in bytes. Appends through copies of this handle come one after the other. As with resize, readers see all of the
  /// block when this has returned, or none of it. Returns what write returns. Throws: SelectionError, if the block does
  /// not match the array in its other dimensions; Cancelled; as resize.
  auto append(std::size_t axis, Extents const& block, StridedView<array_space> from, queue_type& on,
              WriteOptions const& options = {}) const {
    expect_fixed_size();
    return append_from(axis, block, from, on, options);
  }
  /// The same, from something like a StridedView.
  template <class From>
  auto append_from(std::size_t axis, Extents const& block, From const& from, queue_type& on,
                   WriteOptions const& options) const {
    if constexpr (detail::check_writable<S>() && detail::check_documents<S>() && detail::check_placer<array_space>()) {
      return detail::append_block(state_, axis, block, from, on, defaults_.used_for(options).get());
    } else {
      return detail::InvalidCall{};
    }
  }
  auto append(std::size_t axis, Extents const& block, StridedView<array_space> from,
              WriteOptions const& options = {}) const {
    return append(axis, block, from, state_->on, options);
  }

  /// Keeps the indexes of shards from one read to the next, at most `most` bytes of them, for all copies of this
  /// handle. It drops those that were used least recently, and keeps a single one whatever its size. With 0 it forgets
  /// them, and each read has its own again, as after opening. A read of inner chunks in known shards then reads only
  /// those chunks. Each read notices what arrays write through this store and its copies, but not what others write:
  /// another process, a direct write into the store, a second store of the same folder. If one of them replaces a
  /// shard, a read finds what lies in the new value at the old places, until you call this again. For any thread.
  void keep_shard_indexes(std::uint64_t most) const { state_->keep_indexes(most); }

  /// Makes each shard what it would be if it were written at once: inner chunks in C order, without unused bytes, such
  /// as `append_to_shards` leaves. It replaces shards one by one, each at once. Of a shard that is in order it reads
  /// only the index. It decodes no chunks. Returns, when the store has it, by how many bytes the shards became smaller,
  /// before codecs behind them; 0, if there are no shards. Throws: StoreError, CodecError, with the key; Cancelled.
  std::uint64_t compact(queue_type& on, CompactOptions const& options = {}) const {
    return compact_some(nullptr, on, options);
  }
  std::uint64_t compact(CompactOptions const& options = {}) const { return compact(state_->on, options); }
  /// Only those shards that have selected elements. Throws: SelectionError too.
  std::uint64_t compact(ResolvedSelection const& selected, queue_type& on, CompactOptions const& options = {}) const {
    return compact_some(&selected, on, options);
  }
  std::uint64_t compact(ResolvedSelection const& selected, CompactOptions const& options = {}) const {
    return compact(selected, state_->on, options);
  }

  queue_type& queue() const { return state_->on; }

  /// The same array, through other codecs and in another memory space: `array.through<OnHost>()`, of a pipeline or of a
  /// list of codecs, as open_any takes them. What is read and written through it, and through this handle and its
  /// copies, is one array's: of one shape, with the same locks of chunks, kept indexes of shards, attributes and
  /// default options. Its document is not read again. If the pipeline ends in host memory and the store's buffers are
  /// elsewhere, it is over the store's host side, which a LocalStore has.
  ///
  /// `through<space::Host>()` is the array in host memory, of the codecs that this one has where they run on the host,
  /// and nothing crosses.
  ///
  /// The queue that you give does the work; without one it is this array's, or that of its host threads. Throws:
  /// MetadataError, if the document names other codecs.
  template <class Named, class... On>
  auto through(On... on) const {
    if constexpr (!detail::check_through<Named, S, P, On...>()) {
      return detail::InvalidCall{};
    } else {
      using Other = typename detail::pipeline_through<Named, S, P>::type;
      auto const side = [&] { return detail::side_of<typename Other::bytes_space>(state_->store, state_->on); };
      using There = AnyArray<decltype(side()), Other>;
      auto const make = [&] {
        return detail::in_document(state_->store, document(), [&] {
          return There::state_of(side(), state_->array,
                                 detail::queue_beside<typename Other::queue_type>(state_->on, std::move(on)...));
        });
      };
      if constexpr (std::same_as<Named, space::Host> && sizeof...(On) == 0)  // each read<HostBuffer> asks for it
        return There{state_->template beside<typename There::State>(make), defaults_};
      else
        return There{make(), defaults_};
    }
  }

  /// A handle of the same array whose reads, or writes, use these options unless a call says otherwise:
  /// `array.with(ReadOptions{.memory = 1 << 30})`. Its copies use them too, and so does what `as` makes of it.
  AnyArray with(ReadOptions const& options) const { return {state_, defaults_.with(options)}; }
  AnyArray with(WriteOptions const& options) const { return {state_, defaults_.with(options)}; }
  /// For your own way of reading: calls f with the options that such a call uses.
  template <class F>
  void with_defaults(ReadOptions const& given, F&& f) const {
    f(defaults_.used_for(given).get());
  }

 private:
  using State = detail::ArrayState<S, typename P::core_type>;
  using Chunks = detail::ReadableChunks<S, typename P::core_type>;
  template <class OtherStore, class OtherPipeline>
  friend class AnyArray;

  AnyArray(std::shared_ptr<State> state, detail::OptionDefaults defaults)
      : state_{std::move(state)}, defaults_{std::move(defaults)} {}

  static std::shared_ptr<State> state_of(S const& store, std::shared_ptr<detail::SharedArray> opened, queue_type on) {
    return detail::in_words_of(opened->metadata.format, [&] {
      auto pipeline = P::from(opened->metadata.codecs);
      return std::make_shared<State>(store, opened, std::move(pipeline), std::move(on));
    });
  }

  // Memory is bytes to it. Throws: MetadataError, if elements are objects that have bytes of their own.
  void expect_fixed_size() const {
    if (type().varies())
      detail::in_document(store(), document(), [&] {
        throw MetadataError{text({"member data_type: elements of ", type().name(),
                                  " vary in size; read and write them through an Array or ArrayOf of that type"})};
      });
  }

  ResolvedSelection surrounding_of(std::span<PlacedChunk const> listed) const {
    return detail::in_document(store(), document(),
                               [&] { return detail::box_of_chunks(listed, shape(), inner_chunk_shape()); });
  }

  // Null: all that there are.
  std::uint64_t compact_some(ResolvedSelection const* selected, queue_type& on, CompactOptions const& options) const {
    if constexpr (detail::check_writable<S>() && P::may_be_sharded)
      return detail::compact_array(*state_, selected, on, options);
    else
      return 0;
  }

  std::shared_ptr<State> state_;
  detail::OptionDefaults defaults_;
};

}}  // namespace tessera::v0
