// An array of T with Rank dimensions.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/caller_memory.hpp>
#include <tessera/array/owned_array.hpp>
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
      throw MetadataError{text({"member data_type: found ", metadata.type.name(), ", expected ", data_type_of<T>().name(),
                               " as this program does"})};
    if (metadata.shape.rank() != Rank)
      throw MetadataError{text({"member shape: found ", metadata.shape.rank(), " dimensions, expected ", Rank,
                               " as this program does"})};
  }

  Extents const& shape() const { return array_.shape(); }
  Extents const& chunk_shape() const { return array_.chunk_shape(); }
  std::uint64_t size() const { return element_count(shape(), "shape"); }  ///< elements
  ArrayMetadata const& metadata() const { return array_.metadata(); }
  Untyped const& untyped() const { return array_; }

  /// Reads a box into the caller's memory and waits: an ArrayView or an mdspan of any strides, an OwnedArray, or
  /// contiguous memory of the host in C order, e.g. a std::vector<T> or a std::span<T>. Throws: SelectionError, if the
  /// shapes differ; StoreError, CodecError, with the key.
  template <detail::MemoryOrMistake M>
  void read(Box const& box, M&& to, ReadOptions options = {}) const {
    if constexpr (detail::check_destination<T, Rank, array_space, M>()) {
      auto const region = box.resolve(shape());
      auto const view = detail::caller_view<Rank>(to, region.count);
      array_.read(region, {reinterpret_cast<std::byte*>(view.data), view.layout().strides}, options);
    }
  }

  /// Reads a box into a new array in the array's own space.
  OwnedArray<T, Rank, buffer_in_t<array_space>> read(Box const& box, ReadOptions options = {}) const {
    OwnedArray<T, Rank, buffer_in_t<array_space>> result{box.resolve(shape()).count,
                                                         queue_in<array_space>(array_.queue())};
    read(box, result.view(), options);
    return result;
  }

  /// Writes a box from the caller's memory, of the same kinds, and waits. Of chunks that are written in part the rest
  /// stays, whoever else writes to it through this store and its copies. Throws: SelectionError, if the shapes differ;
  /// StoreError, CodecError, with the key; then every chunk is written wholly or not at all.
  template <detail::MemoryOrMistake M>
  void write(Box const& box, M const& from, WriteOptions options = {}) const {
    if constexpr (detail::check_writable<S>() && detail::check_memory<T, Rank, array_space, M const>()) {
      auto const region = box.resolve(shape());
      auto const view = detail::caller_view<Rank>(from, region.count);
      array_.write(region, {reinterpret_cast<std::byte const*>(view.data), view.layout().strides}, options);
    }
  }

  /// Writes one value to every element of a box of an array in host memory.
  void fill(Box const& box, T const& value, WriteOptions options = {}) const {
    ArrayView<T const, Rank, space::Host> same{&value, {}, {}};  // of no strides: every index shows it
    auto const region = box.resolve(shape());
    std::copy_n(region.count.begin(), Rank, same.shape);
    write(box, same, options);
  }

 private:
  Untyped array_;
};

}  // namespace tessera::inline v0
