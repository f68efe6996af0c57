// read_boxes: many boxes of one shape in one call, such as random crops for training. For an array in device memory
// include <tessera/tessera.cuh> too.
// read_boxes_as: the same, as numbers of another type than the array's; for an array in device memory include
// <tessera/array/convert.cuh> too.
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/converting_placer.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/orientation.hpp>  // IWYU pragma: export
#include <tessera/array/detail/padding.hpp>  // IWYU pragma: export
#include <tessera/array/detail/read_boxes.hpp>
#include <tessera/array/detail/read_boxes_as.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/core/detail/conversion.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 {

/// Reads boxes of one shape into the caller's memory. The boxes may be anywhere in the array, and may overlap or be
/// equal:
///
///     std::vector<Box> const crops{{{0, 64}, {8, 72}}, {{100, 164}, {3, 67}}};
///     std::vector<float> batch(crops.size() * 64 * 64);
///     read_boxes(array, crops, batch);
///
/// The memory has one dimension more than the array: its first index is that of the box, the others are those of the
/// elements in the box. It may be any memory that `Array::read` accepts: an ArrayView or an mdspan of any strides, an
/// OwnedArray, or contiguous memory such as a std::vector in C order. Each box may have its own steps; all boxes must
/// have the same number of elements along each dimension. No boxes, or boxes without elements, read nothing.
///
/// Every chunk that a box touches, of a shard every inner chunk, is fetched and decoded once for all boxes, and its
/// elements are placed into each box that wants them. If the bytes of stored chunks are their elements as in memory,
/// only those from the first to the last wanted element are fetched. The options are those of a read: `memory` bounds
/// the chunks in progress, `progress` and `traffic` count each chunk once, and `stop` ends the call. The list of chunks
/// is not in that budget: about 1 KiB for each chunk, which the queue keeps for later calls. Of a rectilinear grid,
/// neighbouring chunks of one shape are read together, one such part after the other, and `progress` counts in each
/// part.
///
/// For boxes of different shapes give memory for each, of the array's number of dimensions: `read_boxes(array, boxes,
/// views)`, where `views` is a std::vector or std::span of ArrayViews, or of any memory that `Array::read` takes. Each
/// chunk is still fetched and decoded once for all boxes.
///
/// `read_boxes(array, {crops, orientations}, batch)` flips and transposes each box while it places it.
///
/// The work runs on the array's queue. Returns what `Array::read` returns: for host memory nothing, because the
/// elements are there; otherwise a Pending, and the memory is in use until that is done.
///
/// Throws: SelectionError naming array and box, if a box has another shape than the first in one memory, another number
/// of dimensions than the array, or reaches beyond it; SelectionError, if the memory has another shape; StoreError,
/// CodecError, with the key; Cancelled. If it throws, no work is in progress any more.
template <Element T, std::size_t Rank, class S, class P, detail::BoxMemoryOrMistake M>
auto read_boxes(Array<T, Rank, S, P> const& array, BoxList const& boxes, M&& to, ReadOptions const& options = {}) {
  return read_boxes(array, boxes, to, Padding{}, options);
}

/// Reads boxes into a new array of shape [boxes, box...], with buffers of type B, by default in the memory space of
/// `array`. Use the new array in work on the queue of `array`. If the host can access its memory, the elements are
/// there when the call returns. If `array` is in device memory and B is a host buffer, the host decodes:
/// `read_boxes<HostBuffer>(array, crops)`. Without boxes the shape is [0, 0...]. Throws: as above.
template <class B = void, Element T, std::size_t Rank, class S, class P>
auto read_boxes(Array<T, Rank, S, P> const& array, BoxList const& boxes, ReadOptions const& options = {}) {
  return read_boxes<B>(array, boxes, Padding{}, options);
}

/// Both calls, for boxes of the padded array: `read_boxes(array, crops, memory, Padding{.before = {8, 8}})`. Each box
/// has the elements that it would have after numpy.pad. Boxes may have steps, and may be entirely in the padding. Every
/// chunk is still fetched and decoded once, and only if a box contains or mirrors elements of it. Strings and bytes of
/// any length are padded by the fill value. Throws: as above; SelectionError as Padding::padded, or if the padding's
/// value does not fit in T.
template <Element T, std::size_t Rank, class S, class P, detail::BoxMemoryOrMistake M, std::same_as<Padding> Given>
auto read_boxes(Array<T, Rank, S, P> const& array, BoxList const& boxes, M&& to, Given const& padding,
                ReadOptions const& options = {}) {
  if constexpr (detail::check_boxes<T, Rank, typename P::array_space, M>())
    return detail::read_given_boxes<T, Rank>(array.untyped(), boxes, to, padding, options);
  else
    return detail::InvalidCall<T>{};
}
template <class B = void, Element T, std::size_t Rank, class S, class P, std::same_as<Padding> Given>
auto read_boxes(Array<T, Rank, S, P> const& array, BoxList const& boxes, Given const& padding,
                ReadOptions const& options = {}) {
  using Own = detail::elements_buffer<T, typename P::array_space>;
  return detail::read_new_boxes<T, Rank, std::conditional_t<std::is_void_v<B>, Own, B>>(array.untyped(), boxes,
                                                                                        padding, options);
}

/// Reads boxes into the caller's memory with another element type than the array's: as read_boxes, but each number is
/// converted while it is placed, as read_as does. There is no second pass and no copy:
///
///     std::vector<float> batch(crops.size() * 64 * 64);
///     read_boxes_as(array, crops, batch, {.scale = 1.0 / 255});
///
/// Throws: as read_boxes; ConversionError naming the first element that does not fit and its box, after all of the
/// memory is written, unless `out_of_range` is OutOfRange::saturate; ConversionError, if `missing` is set and the
/// memory has an integer type. In device memory the Pending's wait() throws it.
template <Element T, std::size_t Rank, class S, class P, detail::BoxMemoryOrMistake M>
requires(!std::same_as<std::remove_cvref_t<M>, Conversion>) auto read_boxes_as(Array<T, Rank, S, P> const& array,
                                                                               BoxList const& boxes, M&& to,
                                                                               Conversion const& conversion = {},
                                                                               ReadOptions const& options = {}) {
  return read_boxes_as(array, boxes, to, conversion, Padding{}, options);
}

/// Reads boxes into a new array of shape [boxes, box...]: `read_boxes_as<float>(array, crops, {.scale = 0.5})`. In
/// device memory the call waits, unless every number of the array's type fits, or the nearest number is taken.
template <class Program, Element T, std::size_t Rank, class S, class P>
auto read_boxes_as(Array<T, Rank, S, P> const& array, BoxList const& boxes, Conversion const& conversion = {},
                   ReadOptions const& options = {}) {
  return read_boxes_as<Program>(array, boxes, conversion, Padding{}, options);
}

/// Both calls, for boxes of the padded array: `read_boxes_as<float>(array, crops, {.scale = 0.5}, padding)`. The boxes
/// have what numpy.pad gives, converted: also the padding's value is one of the array, before scale and offset, and NaN
/// if it is `missing`. Throws: as above; SelectionError, if that value does not fit in the array's type.
template <Element T, std::size_t Rank, class S, class P, detail::BoxMemoryOrMistake M, std::same_as<Padding> Given>
requires(!std::same_as<std::remove_cvref_t<M>, Conversion>) auto read_boxes_as(Array<T, Rank, S, P> const& array,
                                                                               BoxList const& boxes, M&& to,
                                                                               Conversion const& conversion,
                                                                               Given const& padding,
                                                                               ReadOptions const& options = {}) {
  using Space = typename P::array_space;
  if constexpr (detail::BoxMemory<M>::known) {
    using Program = typename detail::BoxMemory<M>::element;
    if constexpr (detail::check_conversion<std::remove_const_t<Program>, T, P>() &&
                  detail::check_boxes<std::remove_const_t<Program>, Rank, Space, M>())
      return detail::read_given_boxes_as<Program, T, Rank>(array.untyped(), boxes, to, conversion, padding, options);
    else
      return detail::InvalidCall{};
  } else {
    (void)detail::check_memory<T, Rank + 1, Space, M>();
    return detail::InvalidCall{};
  }
}
template <class Program, Element T, std::size_t Rank, class S, class P, std::same_as<Padding> Given>
auto read_boxes_as(Array<T, Rank, S, P> const& array, BoxList const& boxes, Conversion const& conversion,
                   Given const& padding, ReadOptions const& options = {}) {
  if constexpr (detail::check_conversion<Program, T, P>())
    return detail::read_new_boxes_as<Program, T, Rank>(array.untyped(), boxes, conversion, padding, options);
  else
    return detail::InvalidCall{};
}

}}  // namespace tessera::v0
