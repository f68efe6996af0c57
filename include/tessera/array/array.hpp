// Array: an array of T with Rank dimensions.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/append_block.hpp>
#include <tessera/array/detail/calls_with_queue.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/fill_selected.hpp>
#include <tessera/array/detail/invalid_call.hpp>
#include <tessera/array/detail/listed_elsewhere.hpp>
#include <tessera/array/detail/read_owned.hpp>
#include <tessera/array/detail/refused_calls.hpp>
#include <tessera/array/detail/selection.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/core/detail/fitting.hpp>
#include <tessera/metadata/detail/expected_element.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 {

/// A handle of an open array, with element type T and Rank dimensions. Copies refer to the same array. Thread-safe:
/// several threads may read, write and change the shape at the same time. The base classes have the calls of version
/// 0.1, and calls that only give a compile error.
template <Element T, std::size_t Rank, class S, class P>
class Array : public detail::CallsWithQueue<Array<T, Rank, S, P>, typename P::queue_type>,
              public detail::RefusedCalls<T, Rank, typename P::array_space> {
  using WithQueue = detail::CallsWithQueue<Array, typename P::queue_type>;
  using Refused = detail::RefusedCalls<T, Rank, typename P::array_space>;
  using Untyped = AnyArray<S, P>;

 public:
  using element_type = T;
  using store_type = S;
  using pipeline_type = P;
  using array_space = typename P::array_space;
  using queue_type = typename P::queue_type;
  static constexpr std::size_t rank = Rank;  ///< the number of dimensions

  /// Throws: MetadataError, if the array has another type or rank.
  explicit Array(Untyped array) : array_{std::move(array)} {
    detail::expect_element<T>(array_);
    detail::expect_dimensions(array_.shape().rank(), Rank);
  }

  Extents shape() const { return array_.shape(); }  ///< the current shape; copies of this handle may change it
  Extents const& chunk_shape() const { return array_.chunk_shape(); }  ///< in elements: AnyArray::chunk_shape
  /// The number of elements. Throws: MetadataError, if it does not fit in 64 bits.
  std::uint64_t size() const { return element_count(shape(), "shape"); }

  DataType type() const { return data_type_of<T>(); }                                  ///< the data type of T
  DimensionNames const& dimension_names() const& { return array_.dimension_names(); }  ///< may be empty
  DimensionNames dimension_names() && { return array_.dimension_names(); }
  T fill_value() const { return array_.template fill_value<T>(); }  ///< the value of elements that were never written
  /// The array's metadata as it was when the array was opened, but with the current shape.
  ArrayMetadata metadata() const { return array_.metadata(); }
  /// The attributes as they were when the array was opened; get_attributes() reads the current ones. On a temporary
  /// handle this returns a copy, which is safe to loop over.
  Members const& attributes() const& { return array_.attributes(); }
  Members attributes() && { return array_.attributes(); }
  Untyped const& untyped() const { return array_; }  ///< the same handle without T and Rank

  /// A handle of the same array with these default options; see AnyArray::with.
  Array with(ReadOptions const& options) const { return Array{array_.with(options)}; }
  Array with(WriteOptions const& options) const { return Array{array_.with(options)}; }
  /// A handle of the same array whose reads and writes run on this queue: `array.on(queue).read(all, memory)`. Copies
  /// of a queue are the same queue. The first handle has the queue that was passed to open or create; by default, work
  /// of the host runs on all processors.
  Array on(queue_type const& queue) const { return Array{array_.on(queue)}; }
  queue_type& queue() const { return array_.queue(); }

  /// A handle of the same array with another pipeline, which may be in another memory space; see AnyArray::through.
  template <class Named, class... On>
  auto through(On... on) const {
    return detail::with_type<T, Rank>(array_.template through<Named>(std::move(on)...));
  }

  /// The result of read and write. For host memory it is void: the call returns when the work is done. Otherwise it is
  /// a Pending: call `wait()`, or use the memory only in later work of the queue. The memory is in use until the work
  /// is done.
  using Completion = typename Untyped::Completion;
  using WithQueue::append, WithQueue::compact, WithQueue::fill, WithQueue::read, WithQueue::resize, WithQueue::write;
  using Refused::fill, Refused::read, Refused::write;

  /// Reads a selection into the caller's memory: an ArrayView or an mdspan of any strides, an OwnedArray, contiguous
  /// host memory in C order, e.g. a std::vector<T> or a std::span<T>, or a type with contiguous_memory<M>. A selection
  /// is a Box or `all`, Orthogonal, Points, a Mask or Blocks; each chunk is fetched and decoded once. An array in
  /// device memory can also be read into pinned and managed memory. If the memory was allocated on another queue, let
  /// the handle's queue wait for it first: `queue.after(other.record())`. Throws: SelectionError, if an index lies
  /// outside, the shapes differ, or a stride is 0; StoreError, CodecError, with the key; Cancelled.
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto read(Sel const& selection, M&& to, ReadOptions const& options = {}) const {
    constexpr auto memory_rank = detail::memory_rank<Sel, Rank>;
    if constexpr (detail::check_destination<T, memory_rank, array_space, std::remove_reference_t<M>>()) {
      auto const chosen = selected(selection);
      auto const view = of_this([&] { return detail::caller_view<memory_rank>(to, chosen.shape); });
      StridedSpan<array_space> const there{reinterpret_cast<std::byte*>(view.data), view.layout().strides};
      return array_.read_into(chosen, detail::ElementsOf<T>::placed(there), options);
    } else {
      return detail::InvalidCall<T>{};
    }
  }

  /// Reads DevicePoints or a DeviceMask (with/device_selections.cuh) into memory of one dimension. Throws: what those
  /// types document.
  template <detail::ListedElsewhere Sel, detail::MemoryOrMistake M>
  auto read(Sel const& selection, M&& to, ReadOptions const& options = {}) const {
    return detail::read_elsewhere<T>(array_, selection, to, options);
  }
  /// The same, into a new array with buffers of type B, by default device buffers. Use the array in work on the
  /// handle's queue. If the host can access its memory, the elements are there when the call returns.
  template <class B = detail::elements_buffer<T, array_space>, detail::ListedElsewhere Sel>
  auto read(Sel const& selection, ReadOptions const& options = {}) const {
    return detail::read_new_elsewhere<T, B>(array_, selection, options);
  }

  /// Reads a selection into a new array with buffers of type B, by default in the memory space of this array. Use the
  /// new array in work on the handle's queue. If the host can access its memory, the elements are there when the call
  /// returns. If this array is in device memory and B is a host buffer, the read goes through `through<space::Host>()`:
  /// the host decodes, and no elements are copied between spaces.
  template <class B = detail::elements_buffer<T, array_space>, detail::Selector Sel = Box>
  OwnedArray<T, detail::memory_rank<Sel, Rank>, B> read(Sel const& selection, ReadOptions const& options = {}) const {
    return detail::read_new<T, detail::memory_rank<Sel, Rank>, B>(array_, selected(selection), options);
  }
  /// The same, into device buffers, for an array whose pipeline begins in host memory: `array.read<DeviceBuffer>(all,
  /// queue)`. The handle's queue decodes it; one copy to the device follows, in the order of the given device queue. To
  /// decode on the device, or to copy fewer bytes, open the array with a pipeline that begins in space::Device.
  template <class B, detail::Selector Sel = Box, class Q>
  requires detail::AcrossFromHost<B, Q, array_space> OwnedArray<T, detail::memory_rank<Sel, Rank>, B> read(
      Sel const& selection, Q& on, ReadOptions const& options = {})
  const { return detail::read_across<T, detail::memory_rank<Sel, Rank>, B>(array_, selected(selection), on, options); }
  /// Not callable: its compile error says which types are buffers.
  template <class B, detail::Selector Sel = Box>
  requires(!AllocatableBuffer<B>) auto read(Sel const&, ReadOptions const& = {}) const {
    return detail::refuse_buffer<B, T>();
  }

  /// Writes a selection from the caller's memory, which may be of the same kinds as for read. Elements of a chunk that
  /// are not selected keep their values, also if other threads write to the chunk through this store or its copies. If
  /// an element is selected several times, its last value is written. Throws: SelectionError, if an index lies outside,
  /// or the shapes differ; StoreError, CodecError, with the key; Cancelled. If it throws, each chunk is written
  /// completely or not at all.
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto write(Sel const& selection, M const& from, WriteOptions const& options = {}) const {
    constexpr auto memory_rank = detail::memory_rank<Sel, Rank>;
    if constexpr (detail::check_writable<S>() && detail::check_memory<T, memory_rank, array_space, M const>()) {
      auto const chosen = selected(selection);
      auto const view = of_this([&] { return detail::caller_view<memory_rank>(from, chosen.shape); });
      StridedView<array_space> const there{reinterpret_cast<std::byte const*>(view.data), view.layout().strides};
      return array_.write_from(chosen, detail::ElementsOf<T>::placed(there), options);
    } else {
      return detail::InvalidCall<T>{};
    }
  }

  /// Writes DevicePoints or a DeviceMask. Each touched chunk is read, changed and written back.
  template <detail::ListedElsewhere Sel, detail::MemoryOrMistake M>
  auto write(Sel const& selection, M const& from, WriteOptions const& options = {}) const {
    return detail::write_elsewhere<T>(array_, selection, from, options);
  }

  /// Gives the array another shape: `array.resize({100, 100})`. New elements have the fill value, and elements outside
  /// the new shape are lost. See AnyArray::resize for what other handles see, and for what an interrupted call leaves.
  void resize(Extents const& shape) const { array_.resize(shape); }

  /// Appends the caller's memory at the end of dimension `axis`: `array.append(rows)`. The memory must match the array
  /// in the other dimensions. Memory without a shape, such as a std::vector, must have the elements of a whole number
  /// of indices along `axis`. Appends through copies of this handle run one after the other; AnyArray::append says
  /// more. Throws: SelectionError, if the memory does not fit; StoreError, CodecError, with the key; Cancelled.
  template <detail::MemoryOrMistake M>
  auto append(M const& from, std::size_t axis = 0, WriteOptions const& options = {}) const {
    return detail::append_block<T, Rank>(array_, from, axis, options);
  }

  /// Keeps at most `most` bytes of shard indexes between reads. This helps programs that read inner chunks one by one.
  /// AnyArray::keep_shard_indexes says which writes these reads notice.
  void keep_shard_indexes(std::uint64_t most) const { array_.keep_shard_indexes(most); }
  /// Removes unused bytes that `WriteOptions::append_to_shards` left in shards: AnyArray::compact. Returns by how many
  /// bytes the array became smaller.
  std::uint64_t compact(CompactOptions const& options = {}) const { return array_.compact(options); }
  /// Only shards with selected elements.
  template <detail::Selector Sel>
  std::uint64_t compact(Sel const& selection, CompactOptions const& options = {}) const {
    return array_.compact(selected(selection), options);
  }
  /// Not callable: its compile error names the selections that compact takes.
  template <detail::ListedElsewhere Sel>
  std::uint64_t compact(Sel const&, CompactOptions const& = {}) const {
    static_assert(!detail::ListedElsewhere<Sel>,
                  "tessera: compact takes a selection in host memory: a Box, `all`, Orthogonal, Points, a Mask or "
                  "Blocks");
    return 0;
  }

  /// The elements in one chunk, given by its position in the grid. Throws: SelectionError, if it is outside the grid.
  Box chunk_box(Extents const& chunk) const { return array_.chunk_box(chunk); }
  /// The number of chunks along each dimension.
  Extents grid_shape() const { return array_.grid_shape(); }

  /// Read or write one chunk, given by its position in the grid.
  template <class B = detail::elements_buffer<T, array_space>, class... More>
  auto read_chunk(Extents const& chunk, More&&... more) const {
    if constexpr (detail::begins_with_memory<More...>)
      return read(chunk_box(chunk), std::forward<More>(more)...);
    else
      return read<B>(chunk_box(chunk), std::forward<More>(more)...);
  }
  template <class M, class... More>
  auto write_chunk(Extents const& chunk, M const& from, More&&... more) const {
    return write(chunk_box(chunk), from, std::forward<More>(more)...);
  }

  /// Writes one value to every element of a selection. A number of another type is converted to T; if T has fractions,
  /// it is rounded. Throws: SelectionError, if T cannot represent the number; as write.
  template <detail::AnySelector Sel = Box>
  auto fill(Sel const& selection, T const& value, WriteOptions const& options = {}) const {
    if constexpr (detail::ListedElsewhere<Sel>)
      return detail::fill_elsewhere(array_, selection, value, options);
    else
      return detail::fill_selected(array_, selected(selection), value, options);
  }
  template <detail::AnySelector Sel = Box, detail::OtherNumber<T> V>
  auto fill(Sel const& selection, V value, WriteOptions const& options = {}) const {
    return fill(selection, of_this([&] { return detail::element_of<T>(value); }), options);
  }

 private:
  template <class Sel>
  ResolvedSelection selected(Sel const& selection) const {
    return of_this(
        [&]() -> ResolvedSelection { return detail::selected_in(selection, shape(), chunk_shape(), array_.edges()); });
  }
  // Errors name the array.
  template <class F>
  auto of_this(F&& f) const {
    return detail::in_document(array_.store(), array_.document(), f);
  }

  Untyped array_;
};

template <class S, class P>
template <class T, std::size_t Rank>
auto AnyArray<S, P>::as() const {
  static_assert(Element<T>, "tessera: this type cannot be an array element: name one that can, array.as<float, 3>()");
  if constexpr (Element<T>)
    return detail::in_document(store(), document(), [&] { return Array<T, Rank, S, P>{*this}; });
  else
    return detail::InvalidCall<T>{};
}

}}  // namespace tessera::v0
