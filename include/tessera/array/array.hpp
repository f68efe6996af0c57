// An array of T with Rank dimensions.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/caller_memory.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/box.hpp>

namespace tessera::inline v0 {

/// A handle: copies show the same array. Safe to read from many threads at once.
template <Element T, std::size_t Rank, class S, class P>
class Array {
  using Untyped = AnyArray<S, P>;

 public:
  using element_type = T;
  using store_type = S;
  using pipeline_type = P;
  using array_space = typename P::array_space;
  static constexpr std::size_t rank = Rank;

  /// Throws: MetadataError, if type or rank are others.
  explicit Array(Untyped array) : array_{std::move(array)} {
    auto const& metadata = array_.metadata();
    if (metadata.type != data_type_of<T>())
      throw MetadataError{text({"member data_type: found ", metadata.type.name(), ", expected ",
                                data_type_of<T>().name(), " as this program does"})};
    if (metadata.shape.rank() != Rank)
      throw MetadataError{text(
          {"member shape: found ", metadata.shape.rank(), " dimensions, expected ", Rank, " as this program does"})};
  }

  Extents shape() const { return array_.shape(); }  ///< what it is now: copies of this handle may change it
  Extents const& chunk_shape() const { return array_.chunk_shape(); }
  std::uint64_t size() const { return element_count(shape(), "shape"); }  ///< elements
  /// What its document said when it was opened, but for the shape, which is what it is now.
  ArrayMetadata metadata() const { return array_.metadata(); }
  Untyped const& untyped() const { return array_; }

  /// What read and write return. Nothing where the elements are the host's: the call returns when they are there. Else
  /// Pending: `wait()` for it, or give `on` more work that uses the memory; until then it is in use.
  using Completion = typename Untyped::Completion;
  using queue_type = typename P::queue_type;

  /// Reads a box into the caller's memory: an ArrayView or an mdspan of any strides, an OwnedArray, or contiguous
  /// memory in C order: of the host, e.g. a std::vector<T> or a std::span<T>, or what contiguous_memory<M> says. An
  /// array in device memory is read into pinned and managed memory too; memory made on another queue than `on` is to be
  /// there already: `on.after(other.record())`. Work is done by `on`, or by the array's own queue. Throws:
  /// SelectionError, if the shapes differ; StoreError, CodecError, with the key; Cancelled.
  template <detail::MemoryOrMistake M>
  auto read(Box const& box, M&& to, queue_type& on, ReadOptions const& options = {}) const {
    return read_region(box.resolve(shape()), to, on, options);
  }
  template <detail::MemoryOrMistake M>
  auto read(Box const& box, M&& to, ReadOptions const& options = {}) const {
    return read_region(box.resolve(shape()), to, array_.queue(), options);
  }

  /// Reads a box into a new array of buffers B, by default in the array's own space. It is used in the order of `on`;
  /// one that the host can touch is there when the call returns.
  template <class B = buffer_in_t<array_space>>
  OwnedArray<T, Rank, B> read(Box const& box, queue_type& on, ReadOptions const& options = {}) const {
    return read_owned<B>(box.resolve(shape()), on, options);
  }
  template <class B = buffer_in_t<array_space>>
  OwnedArray<T, Rank, B> read(Box const& box, ReadOptions const& options = {}) const {
    return read_owned<B>(box.resolve(shape()), array_.queue(), options);
  }

  /// Writes a box from the caller's memory, of the same kinds. Of chunks that are written in part the rest stays,
  /// whoever else writes to it through this store and its copies. Throws: SelectionError, if the shapes differ;
  /// StoreError, CodecError, with the key; Cancelled; then every chunk is written wholly or not at all.
  template <detail::MemoryOrMistake M>
  auto write(Box const& box, M const& from, queue_type& on, WriteOptions const& options = {}) const {
    return write_region(box.resolve(shape()), from, on, options);
  }
  template <detail::MemoryOrMistake M>
  auto write(Box const& box, M const& from, WriteOptions const& options = {}) const {
    return write_region(box.resolve(shape()), from, array_.queue(), options);
  }

  /// Gives the array another shape: `array.resize({100, 100})`. Where it grows, it has the fill value; what is cut off
  /// is gone. AnyArray::resize says what is promised to others who use the array, and when this ends half-way.
  void resize(Extents const& shape, queue_type& on) const { array_.resize(shape, on); }
  void resize(Extents const& shape) const { array_.resize(shape); }

  /// Grows the array along one dimension by what the caller's memory holds, which is as the array is in the other
  /// dimensions; memory without a shape has as many whole indices as it has elements for: `array.append(rows)`. Threads
  /// that append through copies of this handle come one after the other; AnyArray::append says what else is promised.
  /// Throws: SelectionError, if the memory does not fit; StoreError, CodecError, with the key; Cancelled.
  template <detail::MemoryOrMistake M>
  auto append(M const& from, std::size_t axis, queue_type& on, WriteOptions const& options = {}) const {
    if constexpr (detail::check_writable<S>() && detail::check_memory<T, Rank, array_space, M const>()) {
      auto const block = detail::block_of<Rank>(from, shape(), axis);
      auto const view = detail::caller_view<Rank>(from, block);
      return array_.append(axis, block, {reinterpret_cast<std::byte const*>(view.data), view.layout().strides}, on,
                           options);
    } else {
      return detail::Mistaken{};
    }
  }
  template <detail::MemoryOrMistake M>
  auto append(M const& from, std::size_t axis = 0, WriteOptions const& options = {}) const {
    return append(from, axis, array_.queue(), options);
  }

  /// What of the array is in one chunk, given by its place in the grid. Throws: SelectionError, if there is none.
  Box chunk_box(Extents const& chunk) const { return array_.chunk_box(chunk); }
  /// How many chunks there are along each dimension.
  Extents grid_shape() const { return array_.grid_shape(); }

  /// One chunk: read and write of its box.
  template <class B = buffer_in_t<array_space>, class... More>
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

  /// Writes one value to every element of a box.
  auto fill(Box const& box, T const& value, queue_type& on, WriteOptions const& options = {}) const {
    auto const region = box.resolve(shape());
    ArrayView<T const, Rank, array_space> same{&value, {}, {}};  // of no strides: every index shows it
    std::copy_n(region.count.begin(), Rank, same.shape);
    if constexpr (std::same_as<array_space, space::Host>) {
      return write_region(region, same, on, options);
    } else {
      HostBuffer here{sizeof(T)};
      std::memcpy(here.span().data, &value, sizeof(T));
      auto there = cast<buffer_in_t<array_space>>(std::move(here), on);
      same.data = reinterpret_cast<T const*>(there.view().data);
      auto pending = write_region(region, same, on, options);
      on.keep(std::move(there));
      return pending;
    }
  }
  auto fill(Box const& box, T const& value, WriteOptions const& options = {}) const {
    return fill(box, value, array_.queue(), options);
  }

 private:
  template <class M>
  auto read_region(Region const& region, M& to, queue_type& on, ReadOptions const& options) const {
    if constexpr (detail::check_destination<T, Rank, array_space, M>()) {
      auto const view = detail::caller_view<Rank>(to, region.count);
      return array_.read(region, {reinterpret_cast<std::byte*>(view.data), view.layout().strides}, on, options);
    } else {
      return detail::Mistaken{};
    }
  }

  template <class B>
  OwnedArray<T, Rank, B> read_owned(Region const& region, queue_type& on, ReadOptions const& options) const {
    OwnedArray<T, Rank, B> result{region.count, queue_in<typename B::space_type>(on)};
    auto const view = result.view();
    if constexpr (std::is_void_v<Completion>) {
      read_region(region, view, on, options);
    } else {
      auto pending = read_region(region, view, on, options);
      if constexpr (B::space_type::host_accessible)
        pending.wait();
      else
        pending.leave();
    }
    return result;
  }

  template <class M>
  auto write_region(Region const& region, M const& from, queue_type& on, WriteOptions const& options) const {
    if constexpr (detail::check_writable<S>() && detail::check_memory<T, Rank, array_space, M const>()) {
      auto const view = detail::caller_view<Rank>(from, region.count);
      return array_.write(region, {reinterpret_cast<std::byte const*>(view.data), view.layout().strides}, on, options);
    } else {
      return detail::Mistaken{};
    }
  }

  Untyped array_;
};

}  // namespace tessera::inline v0
