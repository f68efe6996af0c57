// An array of T with Rank dimensions.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/caller_memory.hpp>
#include <tessera/array/elements.hpp>
#include <tessera/array/fill_selected.hpp>
#include <tessera/array/invalid_call.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/array/read_owned.hpp>
#include <tessera/array/selection.hpp>
#include <tessera/core/fitting.hpp>
#include <tessera/metadata/expected_element.hpp>
#include <tessera/metadata/node_document.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/strided_span.hpp>

namespace tessera { inline namespace v0 {

/// A handle: copies show the same array. For any thread: reads, writes and changes of the shape may run at once.
template <Element T, std::size_t Rank, class S, class P>
class Array {
  using Untyped = AnyArray<S, P>;

 public:
  using element_type = T;
  using store_type = S;
  using pipeline_type = P;
  using array_space = typename P::array_space;
  static constexpr std::size_t rank = Rank;

  /// Throws: MetadataError, if the array has another type or rank.
  explicit Array(Untyped array) : array_{std::move(array)} {
    detail::expect_element<T>(array_);
    detail::expect_dimensions(array_.shape().rank(), Rank);
  }

  Extents shape() const { return array_.shape(); }  ///< what it is now: copies of this handle may change it
  Extents const& chunk_shape() const { return array_.chunk_shape(); }
  std::uint64_t size() const { return element_count(shape(), "shape"); }  ///< elements
  /// Not a function to call: its message says that elements are read before they are looked at.
  template <class Index = Extents>
  T const& operator[](Index const&) const {
    static_assert(!std::same_as<Index, Index>,
                  "tessera: the elements of an array in a store have no addresses: read some of it and look there, "
                  "'auto const part = array.read({{0, 10}, all, 3}); part(1, 2, 0)'");
    static T const none{};
    return none;
  }

  DataType type() const { return data_type_of<T>(); }
  DimensionNames const& dimension_names() const& { return array_.dimension_names(); }  ///< empty, if there are none
  DimensionNames dimension_names() && { return array_.dimension_names(); }
  T fill_value() const { return array_.template fill_value<T>(); }  ///< what nobody has written
  /// What its document said when the array was opened, except the shape, which is the present one.
  ArrayMetadata metadata() const { return array_.metadata(); }
  /// The attributes when the array was opened; get_attributes() gives those that the store has now. Of a temporary
  /// handle it is a copy, which you may loop over.
  Members const& attributes() const& { return array_.attributes(); }
  Members attributes() && { return array_.attributes(); }
  Untyped const& untyped() const { return array_; }

  /// The same array, with these options unless a call says otherwise: AnyArray::with.
  Array with(ReadOptions const& options) const { return Array{array_.with(options)}; }
  Array with(WriteOptions const& options) const { return Array{array_.with(options)}; }

  /// The same array, through other codecs and in another memory space: AnyArray::through.
  template <class Named, class... On>
  auto through(On... on) const {
    auto other = array_.template through<Named>(std::move(on)...);
    using Other = decltype(other);
    if constexpr (std::same_as<Other, detail::InvalidCall>)
      return other;
    else
      return Array<T, Rank, typename Other::store_type, typename Other::pipeline_type>{std::move(other)};
  }

  /// What read and write return. If the elements are the host's, nothing: the call returns when they are there. Else a
  /// Pending: `wait()` for it, or give `on` more work that uses the memory; until then the memory is in use.
  using Completion = typename Untyped::Completion;
  using queue_type = typename P::queue_type;

  /// Reads a selection into the caller's memory: an ArrayView or an mdspan of any strides, an OwnedArray, or contiguous
  /// memory in C order, e.g. a std::vector<T> or a std::span<T> of the host, or what contiguous_memory<M> says. A
  /// selection is a Box or `all`, Orthogonal, Points, a Mask or Blocks; each chunk is fetched and decoded once. An
  /// array in device memory is also read into pinned and managed memory. Memory that was made on another queue than
  /// `on` must be there: `on.after(other.record())`. `on` does the work, or the array's own queue. Throws:
  /// SelectionError, if an index lies outside, or the shapes differ; StoreError, CodecError, with the key; Cancelled.
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto read(Sel const& selection, M&& to, queue_type& on, ReadOptions const& options = {}) const {
    return read_selected<detail::memory_rank<Sel, Rank>>(selected(selection), to, on, options);
  }
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto read(Sel const& selection, M&& to, ReadOptions const& options = {}) const {
    return read_selected<detail::memory_rank<Sel, Rank>>(selected(selection), to, array_.queue(), options);
  }

  /// Reads a selection into a new array of buffers B, by default in the array's own space. Use the new array in the
  /// order of `on`; if the host can touch it, its elements are there when the call returns. An array in device memory
  /// is read into host buffers through `through<space::Host>()`: by the host's threads, and nothing crosses.
  template <class B = detail::elements_buffer<T, array_space>, detail::Selector Sel = Box>
  OwnedArray<T, detail::memory_rank<Sel, Rank>, B> read(Sel const& selection, queue_type& on,
                                                        ReadOptions const& options = {}) const {
    return read_owned<detail::memory_rank<Sel, Rank>, B>(selected(selection), on, options);
  }
  template <class B = detail::elements_buffer<T, array_space>, detail::Selector Sel = Box>
  OwnedArray<T, detail::memory_rank<Sel, Rank>, B> read(Sel const& selection, ReadOptions const& options = {}) const {
    return read_owned<detail::memory_rank<Sel, Rank>, B>(selected(selection), array_.queue(), options);
  }
  /// Not a function to call: its message says how to read numbers of another type.
  template <Element B, detail::Selector Sel = Box>
  auto read(Sel const&, ReadOptions const& = {}) const {
    static_assert(sizeof(B) == 0,
                  "tessera: read<...> names the buffer of what is read, e.g. read<PinnedBuffer>(all); for numbers of "
                  "another type include <tessera/array/convert.hpp>, read_as<float>(array, all)");
    return detail::InvalidCall{};
  }

  /// Writes a selection from the caller's memory, of the same kinds. Chunks that are written in part keep the rest,
  /// whoever else writes to it through this store and its copies. Of an element that is selected several times, the
  /// last value stays. Throws: SelectionError, if an index lies outside, or the shapes differ; StoreError, CodecError,
  /// with the key; Cancelled. When it throws, every chunk is written wholly or not at all.
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto write(Sel const& selection, M const& from, queue_type& on, WriteOptions const& options = {}) const {
    return write_selected<detail::memory_rank<Sel, Rank>>(selected(selection), from, on, options);
  }
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto write(Sel const& selection, M const& from, WriteOptions const& options = {}) const {
    return write_selected<detail::memory_rank<Sel, Rank>>(selected(selection), from, array_.queue(), options);
  }

  /// Gives the array another shape: `array.resize({100, 100})`. Where it grows, it has the fill value; cut elements are
  /// gone. AnyArray::resize says what others who use the array see, and what an interrupted call leaves.
  void resize(Extents const& shape, queue_type& on) const { array_.resize(shape, on); }
  void resize(Extents const& shape) const { array_.resize(shape); }

  /// Grows the array along one dimension by the caller's memory, which must match the array in the other dimensions;
  /// memory without a shape counts as many whole indices as it has elements for: `array.append(rows)`. Appends through
  /// copies of this handle come one after the other; AnyArray::append says more. Throws: SelectionError, if the memory
  /// does not fit; StoreError, CodecError, with the key; Cancelled.
  template <detail::MemoryOrMistake M>
  auto append(M const& from, std::size_t axis, queue_type& on, WriteOptions const& options = {}) const {
    if constexpr (detail::check_writable<S>() && detail::check_memory<T, Rank, array_space, M const>()) {
      auto const block = of_this([&] { return detail::block_of<Rank>(from, shape(), axis); });
      auto const view = of_this([&] { return detail::caller_view<Rank>(from, block); });
      StridedView<array_space> const there{reinterpret_cast<std::byte const*>(view.data), view.layout().strides};
      return array_.append_from(axis, block, detail::ElementsOf<T>::placed(there), on, options);
    } else {
      return detail::InvalidCall{};
    }
  }
  template <detail::MemoryOrMistake M>
  auto append(M const& from, std::size_t axis = 0, WriteOptions const& options = {}) const {
    return append(from, axis, array_.queue(), options);
  }

  /// Keeps the indexes of shards from one read to the next, at most so many bytes of them: for programs that read inner
  /// chunks one after the other. AnyArray::keep_shard_indexes says whose changes it notices.
  void keep_shard_indexes(std::uint64_t most) const { array_.keep_shard_indexes(most); }
  /// Removes what `WriteOptions::append_to_shards` left in shards: AnyArray::compact. Returns by how many bytes the
  /// array became smaller.
  std::uint64_t compact(queue_type& on, CompactOptions const& options = {}) const {
    return array_.compact(on, options);
  }
  std::uint64_t compact(CompactOptions const& options = {}) const { return array_.compact(options); }
  /// Only those shards that have selected elements.
  template <detail::Selector Sel>
  std::uint64_t compact(Sel const& selection, queue_type& on, CompactOptions const& options = {}) const {
    return array_.compact(selected(selection), on, options);
  }
  template <detail::Selector Sel>
  std::uint64_t compact(Sel const& selection, CompactOptions const& options = {}) const {
    return compact(selection, array_.queue(), options);
  }

  /// The part of the array that is in one chunk, given by its place in the grid. Throws: SelectionError, if there is
  /// none.
  Box chunk_box(Extents const& chunk) const { return array_.chunk_box(chunk); }
  /// The number of chunks along each dimension.
  Extents grid_shape() const { return array_.grid_shape(); }

  /// Read and write one chunk, by its box.
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

  /// Writes one value to every element of a selection. A number of another type is converted, and rounded if the array
  /// has fractions. Throws: SelectionError, if the number does not fit; as write.
  template <detail::Selector Sel = Box>
  auto fill(Sel const& selection, T const& value, queue_type& on, WriteOptions const& options = {}) const {
    return detail::fill_selected(array_, selected(selection), value, on, options);
  }
  template <detail::Selector Sel = Box>
  auto fill(Sel const& selection, T const& value, WriteOptions const& options = {}) const {
    return fill(selection, value, array_.queue(), options);
  }
  template <detail::Selector Sel = Box, detail::OtherNumber<T> V>
  auto fill(Sel const& selection, V value, queue_type& on, WriteOptions const& options = {}) const {
    return fill(selection, of_this([&] { return detail::element_of<T>(value); }), on, options);
  }
  template <detail::Selector Sel = Box, detail::OtherNumber<T> V>
  auto fill(Sel const& selection, V value, WriteOptions const& options = {}) const {
    return fill(selection, value, array_.queue(), options);
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

  template <std::size_t MemoryRank, class M>
  auto read_selected(ResolvedSelection const& selected, M& to, queue_type& on, ReadOptions const& options) const {
    if constexpr (detail::check_destination<T, MemoryRank, array_space, M>()) {
      auto const view = of_this([&] { return detail::caller_view<MemoryRank>(to, selected.shape); });
      StridedSpan<array_space> const there{reinterpret_cast<std::byte*>(view.data), view.layout().strides};
      return array_.read_into(selected, detail::ElementsOf<T>::placed(there), on, options);
    } else {
      return detail::InvalidCall{};
    }
  }

  template <std::size_t MemoryRank, class B>
  OwnedArray<T, MemoryRank, B> read_owned(ResolvedSelection const& selected, queue_type& on,
                                          ReadOptions const& options) const {
    OwnedArray<T, MemoryRank, B> result{selected.shape, queue_in<typename B::space_type>(on)};
    if constexpr (detail::check_new_memory<T, MemoryRank, array_space, typename B::space_type>())
      detail::read_owned(array_, selected, result, on, options);
    return result;
  }

  template <std::size_t MemoryRank, class M>
  auto write_selected(ResolvedSelection const& selected, M const& from, queue_type& on,
                      WriteOptions const& options) const {
    if constexpr (detail::check_writable<S>() && detail::check_memory<T, MemoryRank, array_space, M const>()) {
      auto const view = of_this([&] { return detail::caller_view<MemoryRank>(from, selected.shape); });
      StridedView<array_space> const there{reinterpret_cast<std::byte const*>(view.data), view.layout().strides};
      return array_.write_from(selected, detail::ElementsOf<T>::placed(there), on, options);
    } else {
      return detail::InvalidCall{};
    }
  }

  Untyped array_;
};

/// Not a type to use: its message says what to write where `Array<float>`, `Array<float, 3>` and
/// `Array<float, 3, Store>` leave out the rest of the type.
template <Element T, std::size_t Rank, class S>
class Array<T, Rank, S, void> {
  static_assert(sizeof(T) == 0,
                "tessera: an array's type has its rank, its store and its codecs: write auto, a template parameter, or "
                "decltype(open_array<float, 3>(store))");

 public:
  template <class A>
  Array(A const&) {}
};

template <class S, class P>
template <class T, std::size_t Rank>
auto AnyArray<S, P>::as() const {
  static_assert(Element<T>, "tessera: this type is no element of an array: name one, array.as<float, 3>()");
  if constexpr (Element<T>)
    return detail::in_document(store(), document(), [&] { return Array<T, Rank, S, P>{*this}; });
  else
    return detail::InvalidCall{};
}

}}  // namespace tessera::v0
