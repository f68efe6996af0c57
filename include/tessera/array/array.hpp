// An array of T with Rank dimensions.
#pragma once
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/destination.hpp>
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
      throw MetadataError{"member data_type: found " + metadata.type.name() + ", expected " + data_type_of<T>().name() +
                          " as this program does"};
    if (metadata.shape.rank() != Rank)
      throw MetadataError{"member shape: found " + std::to_string(metadata.shape.rank()) + " dimensions, expected " +
                          std::to_string(Rank) + " as this program does"};
  }

  Extents const& shape() const { return array_.shape(); }
  Extents const& chunk_shape() const { return array_.chunk_shape(); }
  std::uint64_t size() const { return element_count(shape(), "shape"); }  ///< elements
  ArrayMetadata const& metadata() const { return array_.metadata(); }
  Untyped const& untyped() const { return array_; }

  /// Reads a box into the caller's memory and waits: an ArrayView of any strides, or contiguous memory of the host, in
  /// C order, e.g. a std::vector<T> or a std::span<T>. Throws: SelectionError, if the shapes differ; StoreError,
  /// CodecError, with the key.
  template <detail::DestinationOrMistake To>
  void read(Box const& box, To&& to, ReadOptions options = {}) const {
    if constexpr (detail::check_destination<T, Rank, array_space, To>()) {
      auto const region = box.resolve(shape());
      if constexpr (detail::is_array_view<std::remove_cvref_t<To>>) {
        auto const layout = to.layout();
        if (layout.shape != region.count)
          throw SelectionError{"the destination's shape is " + to_string(layout.shape) + ", expected " +
                               to_string(region.count)};
        array_.read(region, {reinterpret_cast<std::byte*>(to.data), layout.strides}, options);
      } else {
        auto const expected = element_count(region.count, "the box");
        if (std::ranges::size(to) != expected)
          throw SelectionError{
              text({"the destination holds ", std::ranges::size(to), " elements, expected ", expected})};
        read(box, ArrayView<T, Rank, space::Host>::c_order(std::ranges::data(to), region.count), options);
      }
    }
  }

  /// Reads a box into a new array in the array's own space.
  OwnedArray<T, Rank, buffer_in_t<array_space>> read(Box const& box, ReadOptions options = {}) const {
    OwnedArray<T, Rank, buffer_in_t<array_space>> result{box.resolve(shape()).count,
                                                         queue_in<array_space>(array_.queue())};
    read(box, result.view(), options);
    return result;
  }

  /// Writes a box from the caller's memory, of any strides, and waits. The rest of chunks that are written in part
  /// stays. Throws: SelectionError, if the shapes differ; StoreError, CodecError, with the key.
  template <class U, MemorySpace Space>
  requires std::same_as<U const, T const>
  void write(Box const& box, ArrayView<U, Rank, Space> from, WriteOptions options = {}) const {
    constexpr bool same_space = std::same_as<Space, array_space>;
    static_assert(same_space,
                  "tessera: this array is written from another memory space than the source is in; open it with a "
                  "pipeline that begins in the source's space, e.g. Pipeline<space::Host, ...>");
    if constexpr (same_space) {
      auto const region = box.resolve(shape());
      auto const layout = from.layout();
      if (layout.shape != region.count)
        throw SelectionError{"the source's shape is " + to_string(layout.shape) + ", expected " +
                             to_string(region.count)};
      array_.write(region, {reinterpret_cast<std::byte const*>(from.data), layout.strides}, options);
    }
  }

  /// Writes a box from contiguous host memory, in C order: a std::vector<T>, a std::span<T const>.
  template <std::ranges::contiguous_range R>
  requires std::ranges::sized_range<R> && std::same_as<std::ranges::range_value_t<R>, T>
  void write(Box const& box, R const& from, WriteOptions options = {}) const {
    auto const region = box.resolve(shape());
    auto const expected = element_count(region.count, "the box");
    if (std::ranges::size(from) != expected)
      throw SelectionError{"the source holds " + std::to_string(std::ranges::size(from)) + " elements, expected " +
                           std::to_string(expected)};
    write(box, ArrayView<T const, Rank, space::Host>::c_order(std::ranges::data(from), region.count), options);
  }

  /// Writes one value to every element of a box of an array in host memory.
  void fill(Box const& box, T const& value,
            WriteOptions options = {}) const requires std::same_as<array_space, space::Host> {
    auto const region = box.resolve(shape());
    array_.write(region, {reinterpret_cast<std::byte const*>(&value), Strides::filled(Rank, 0)}, options);
  }

 private:
  Untyped array_;
};

}  // namespace tessera::inline v0
