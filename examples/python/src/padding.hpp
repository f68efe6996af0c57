// Padding: elements around an array, from Python.
#pragma once
#include <cstddef>
#include <vector>

#include <nanobind/nanobind.h>

#include <tessera/array/read_boxes.hpp>

namespace nb = nanobind;

namespace python {

struct Padding {
  tessera::Padding native{};
  std::vector<std::byte> element{};  ///< of `constant`, in the array's type; empty: the array's fill value

  /// The bytes of the element that pads an array; none, if there is no padding.
  template <class A>
  std::vector<std::byte> element_for(A const& array) const {
    bool const is_fill_value = element.empty() && native.before.rank() > 0;
    return is_fill_value ? array.metadata().fill : element;
  }
};

}  // namespace python
