// ArrayOf: an array whose element type is static, but whose rank only the file knows.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/array.hpp>
#include <tessera/array/detail/calls_with_queue.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/read_owned.hpp>
#include <tessera/array/detail/selection.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/view/contiguous_memory.hpp>

namespace tessera { inline namespace v0 {

/// A handle, as Array is.
template <Element T, class S, class P>
class ArrayOf : public detail::CallsWithQueue<ArrayOf<T, S, P>, typename P::queue_type> {
  using WithQueue = detail::CallsWithQueue<ArrayOf, typename P::queue_type>;
  using Untyped = AnyArray<S, P>;

 public:
  using element_type = T;
  using array_space = typename P::array_space;
  using queue_type = typename P::queue_type;

  /// Throws: MetadataError, if its elements are of another type.
  explicit ArrayOf(Untyped array) : array_{std::move(array)} { fill_ = array_.template fill_value<T>(); }

  Extents shape() const { return array_.shape(); }  ///< the present one: copies of this handle may change it
  Extents const& chunk_shape() const { return array_.chunk_shape(); }  ///< in elements: AnyArray::chunk_shape
  std::size_t rank() const { return chunk_shape().rank(); }            ///< the number of dimensions
  /// In elements. Throws: MetadataError, if 64 bits are too few.
  std::uint64_t size() const { return element_count(shape(), "shape"); }
  /// As in Array: type, dimension_names, fill_value, metadata, attributes, and untyped, the same handle without T.
  DataType type() const { return data_type_of<T>(); }
  DimensionNames const& dimension_names() const& { return array_.dimension_names(); }
  DimensionNames dimension_names() && { return array_.dimension_names(); }
  T fill_value() const { return fill_; }
  ArrayMetadata metadata() const { return array_.metadata(); }
  Members const& attributes() const& { return array_.attributes(); }
  Members attributes() && { return array_.attributes(); }
  Untyped const& untyped() const { return array_; }
  /// The same array with these default options: AnyArray::with.
  ArrayOf with(ReadOptions const& options) const { return ArrayOf{array_.with(options)}; }
  ArrayOf with(WriteOptions const& options) const { return ArrayOf{array_.with(options)}; }
  /// The same array with this queue, which does the new handle's work: Array::on.
  ArrayOf on(queue_type const& queue) const { return ArrayOf{array_.on(queue)}; }
  queue_type& queue() const { return array_.queue(); }
  /// The same array through other codecs and in another memory space: AnyArray::through.
  template <class Named, class... On>
  auto through(On... on) const {
    auto other = array_.template through<Named>(std::move(on)...);
    using Other = decltype(other);
    if constexpr (detail::was_refused<Other>())
      return detail::InvalidCall<T>{};
    else
      return ArrayOf<T, typename Other::store_type, typename Other::pipeline_type>{std::move(other)};
  }

  using WithQueue::read, WithQueue::write;

  /// Reads a selection into a new array of buffers B: `shape()` gives its dimensions, `elements()` all elements in C
  /// order, `strides()` the distances of neighbours. Else as Array::read.
  template <class B = detail::elements_buffer<T, array_space>, detail::Selector Sel = Box>
  OwnedArray<T, detail::any_rank, B> read(Sel const& selection, ReadOptions const& options = {}) const {
    auto const what = selected(selection);
    OwnedArray<T, detail::any_rank, B> result{what.shape, queue_in<typename B::space_type>(array_.queue())};
    constexpr bool is_of_host = detail::is_of_the_host_alone<typename B::space_type, array_space>;
    static_assert(is_of_host || detail::is_worked_on_in<typename B::space_type, array_space>,
                  "tessera: this array cannot be read into buffers in that memory space; omit the buffer type");
    if constexpr (is_of_host || detail::is_worked_on_in<typename B::space_type, array_space>)
      detail::read_owned(array_, what, result, options);
    return result;
  }

  /// Into device buffers, for an array whose pipeline begins in host memory: Array::read.
  template <class B, detail::Selector Sel = Box, class Q>
  requires detail::AcrossFromHost<B, Q, array_space> OwnedArray<T, detail::any_rank, B> read(
      Sel const& selection, Q& on, ReadOptions const& options = {})
  const { return detail::read_across<T, detail::any_rank, B>(array_, selected(selection), on, options); }

  /// Read into contiguous memory in C order, and write from it. Else as Array::read and Array::write.
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto read(Sel const& selection, M&& to, ReadOptions const& options = {}) const {
    if constexpr (detail::check_destination<T, detail::any_rank, array_space, M>()) {
      auto const what = selected(selection);
      StridedSpan<array_space> const there{reinterpret_cast<std::byte*>(first_element(to, what)), dense(what)};
      return array_.read_into(what, detail::ElementsOf<T>::placed(there), options);
    } else {
      return detail::InvalidCall<T>{};
    }
  }
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  auto write(Sel const& selection, M const& from, WriteOptions const& options = {}) const {
    if constexpr (detail::check_writable<S>() && detail::check_memory<T, detail::any_rank, array_space, M const>()) {
      auto const what = selected(selection);
      StridedView<array_space> const there{reinterpret_cast<std::byte const*>(first_element(from, what)), dense(what)};
      return array_.write_from(what, detail::ElementsOf<T>::placed(there), options);
    } else {
      return detail::InvalidCall<T>{};
    }
  }

 private:
  template <class Sel>
  ResolvedSelection selected(Sel const& selection) const {
    return detail::in_document(array_.store(), array_.document(), [&]() -> ResolvedSelection {
      return detail::selected_in(selection, shape(), chunk_shape(), array_.edges());
    });
  }
  static Strides dense(ResolvedSelection const& what) { return Layout::c_order(what.shape, sizeof(T)).strides; }
  template <class M>
  auto first_element(M& memory, ResolvedSelection const& what) const {
    auto const expected = element_count(what.shape, "the selection");
    auto const found = contiguous_memory<M>::size(memory);
    if (found == expected) return contiguous_memory<M>::data(memory);
    throw SelectionError{to_text({"the memory holds ", found, " elements, expected ", expected})}
        .in_key(array_.document().path)
        .in_store(name_of(metadata_of(array_.store())));
  }

  Untyped array_;
  T fill_{};
};

}}  // namespace tessera::v0
