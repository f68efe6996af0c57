// read_boxes_as: boxes read into numbers of another type than the array's. For an array in device memory include
// <tessera/array/convert.cuh> too.
#pragma once
#include <concepts>
#include <cstddef>
#include <type_traits>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/converting_placer.hpp>
#include <tessera/array/detail/read_boxes.hpp>
#include <tessera/array/detail/read_boxes_as.hpp>
#include <tessera/array/orientation.hpp>
#include <tessera/array/padding.hpp>
#include <tessera/core/convert.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 {

/// Reads boxes into the caller's memory with another element type than the array's: as read_boxes, but each number is
/// converted while it is placed, as read_as does. There is no second pass and no copy:
///
///     std::vector<float> batch(crops.size() * 64 * 64);
///     read_boxes_as(array, crops, batch, {.scale = 1.0 / 255});
///
/// Throws: as read_boxes; ConversionError naming the first element that does not fit and its box, after it has written
/// all of the memory, unless such elements become the nearest number; and if numbers may be missing and the memory is
/// of integers. In device memory the Pending's wait() throws it.
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

/// Both calls, for boxes of the array with padding: `read_boxes_as<float>(array, crops, {.scale = 0.5}, padding)`. The
/// boxes have what numpy.pad gives, converted: also the padding's value is one of the array, before scale and offset,
/// and NaN if it is `missing`. Throws: as above; SelectionError, if that value does not fit in the array's type.
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
