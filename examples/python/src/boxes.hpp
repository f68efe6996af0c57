// Boxes of Python's: tuples of slices, and pairs of these and an Orientation.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <tessera/array/read_boxes.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/view/box.hpp>

namespace nb = nanobind;

namespace python {

using Boxes = std::vector<tessera::Box>;
using PythonBox = nb::typed<nb::tuple, nb::slice, nb::ellipsis>;
using PythonBoxes = nb::typed<nb::list, PythonBox>;
using GivenBoxes = nb::typed<nb::iterable, PythonBox>;
using OrientedPythonBox = nb::typed<nb::tuple, PythonBox, tessera::Orientation>;
using GivenOrientedBoxes = nb::typed<nb::iterable, std::variant<PythonBox, OrientedPythonBox>>;

namespace detail {

inline std::string text_of(nb::handle object) { return nb::cast<std::string>(nb::repr(object)); }

// Of a slice; `missing` stands for None.
inline std::uint64_t number_of(nb::handle slice, char const* attribute, std::uint64_t missing) {
  auto const value = nb::object(slice.attr(attribute));
  if (value.is_none()) return missing;
  auto const number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  auto const found = PyLong_AsUnsignedLongLong(number.ptr());
  if (PyErr_Occurred()) {
    PyErr_Clear();
    throw tessera::SelectionError{
        tessera::to_text({"found ", text_of(slice), ", expected a slice of numbers from 0 on"})};
  }
  return found;
}

inline tessera::Slice slice_of(nb::handle item) {
  if (!PySlice_Check(item.ptr()))
    throw tessera::SelectionError{
        tessera::to_text({"found ", text_of(item), " in a box, expected a slice: every dimension of a box stays"})};
  return {number_of(item, "start", 0), number_of(item, "stop", tessera::Slice{}.stop), number_of(item, "step", 1)};
}

inline nb::object python_slice(tessera::Steps const& steps) {
  auto const stop = steps.count == 0 ? steps.first : steps.first + (steps.count - 1) * steps.step + 1;
  auto const made = nb::steal(PySlice_New(nb::cast(steps.first).ptr(), nb::cast(stop).ptr(),
                                          steps.step == 1 ? Py_None : nb::cast(steps.step).ptr()));
  if (!made.is_valid()) throw nb::python_error();
  return made;
}

}  // namespace detail

/// A box from a tuple of slices, one for each dimension, or of one dimension from a slice. Throws: SelectionError.
inline tessera::Box box_of(nb::handle item) {
  std::vector<tessera::Slice> slices;
  if (nb::isinstance<nb::tuple>(item))
    for (nb::handle slice : nb::borrow<nb::tuple>(item)) slices.push_back(detail::slice_of(slice));
  else
    slices.push_back(detail::slice_of(item));
  return tessera::Box{std::move(slices)};
}

/// From an iterable.
inline Boxes boxes_of(nb::handle items) {
  Boxes boxes;
  for (nb::handle item : nb::iter(items)) boxes.push_back(box_of(item));
  return boxes;
}

/// A box, or a pair of one and an Orientation. Throws: SelectionError.
inline tessera::OrientedBox oriented_box_of(nb::handle item) {
  if (nb::isinstance<nb::tuple>(item) && nb::len(item) == 2)
    if (nb::object const orientation = item[1]; nb::isinstance<tessera::Orientation>(orientation))
      return {box_of(nb::object(item[0])), nb::cast<tessera::Orientation>(orientation)};
  return box_of(item);
}

/// Boxes, and the orientation of each if some have one.
struct OrientedBoxes {
  Boxes boxes{};
  std::vector<tessera::Orientation> orientations{};

  tessera::BoxList list() const { return {boxes, orientations}; }
};

/// From an iterable.
inline OrientedBoxes oriented_boxes_of(nb::handle items) {
  OrientedBoxes found;
  bool is_any = false;
  for (nb::handle item : nb::iter(items)) {
    auto box = oriented_box_of(item);
    is_any = is_any || !box.orientation.changes_nothing();
    found.boxes.push_back(std::move(box.box));
    found.orientations.push_back(box.orientation);
  }
  if (!is_any) found.orientations.clear();
  return found;
}

/// A tuple of slices. `shape`: of the array.
inline PythonBox tuple_of_box(tessera::Box const& box, tessera::Extents const& shape) {
  nb::list slices;
  box.for_each_dimension(shape,
                         [&](std::size_t, tessera::Steps const& steps) { slices.append(detail::python_slice(steps)); });
  return nb::borrow<PythonBox>(nb::tuple(slices));
}

inline PythonBoxes list_of(std::span<tessera::Box const> boxes, tessera::Extents const& shape) {
  nb::list found;
  for (auto const& box : boxes) found.append(tuple_of_box(box, shape));
  return nb::borrow<PythonBoxes>(found);
}

}  // namespace python
