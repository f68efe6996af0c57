// Reference implementations, one element at a time, for comparison with the library.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <support/bytes.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/view/array_view.hpp>

namespace test {

using tessera::Extents;
using tessera::Strides;

/// Calls f(index) for each index of a shape, in C order.
template <class F>
void for_each_index(Extents const& shape, F&& f) {
  for (auto n : shape)
    if (n == 0) return;
  auto index = Extents::filled(shape.rank(), 0);
  for (;;) {
    f(std::as_const(index));
    auto d = shape.rank();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) index[--d] = 0;
    if (d == 0) return;
  }
}

/// The number of elements before this one in C order.
inline std::size_t c_index(Extents const& shape, Extents const& index) {
  std::size_t at = 0;
  for (std::size_t d = 0; d < shape.rank(); ++d) at = at * shape[d] + index[d];
  return at;
}

inline std::int64_t offset(Strides const& strides, Extents const& index) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < index.rank(); ++d) at += strides[d] * static_cast<std::int64_t>(index[d]);
  return at;
}

inline std::size_t size_of(Extents const& shape) {
  std::size_t size = 1;
  for (auto n : shape) size *= n;
  return size;
}

/// numpy's `a.transpose(order)`, then in C order: item i of the new shape is item order[i] of the old one.
inline std::pair<Bytes, Extents> transposed(Bytes const& elements, Extents const& shape, Extents const& order,
                                            std::size_t item) {
  auto after = shape;
  for (std::size_t i = 0; i < order.rank(); ++i) after[i] = shape[order[i]];
  Bytes result(elements.size());
  for_each_index(after, [&](Extents const& index) {
    auto source = index;
    for (std::size_t i = 0; i < order.rank(); ++i) source[order[i]] = index[i];
    std::copy_n(elements.data() + c_index(shape, source) * item, item, result.data() + c_index(after, index) * item);
  });
  return {result, after};
}

inline Bytes swapped(Bytes elements, std::size_t together) {
  for (std::size_t at = 0; at + together <= elements.size(); at += together)
    std::reverse(elements.begin() + static_cast<std::ptrdiff_t>(at),
                 elements.begin() + static_cast<std::ptrdiff_t>(at + together));
  return elements;
}

/// The elements that a layout shows in some bytes, in C order and the machine's own byte order.
inline Bytes seen_through(tessera::Layout const& layout, HostView stored) {
  Bytes result;
  for_each_index(layout.shape, [&](Extents const& index) {
    auto const* at = stored.data + offset(layout.strides, index);
    Bytes element{at, at + layout.item_size};
    if (layout.swapped > 1) element = swapped(element, layout.swapped);
    result.insert(result.end(), element.begin(), element.end());
  });
  return result;
}

}  // namespace test
