// Selections: the Python half's result for indices, and the layout of their memory.
#include "module.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <nanobind/ndarray.h>

namespace python {
namespace {

using tessera::Extents, tessera::SelectionError, tessera::Slice, tessera::Strides, tessera::to_text;
using Numbers = std::vector<std::uint64_t>;
using Slices = std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>>;  // first, stop, step
template <class T, std::size_t rank>
using Memory = nb::ndarray<T const, nb::ndim<rank>, nb::c_contig, nb::device::cpu>;

std::vector<Slice> slices_of(Slices const& given) {
  std::vector<Slice> slices;
  for (auto const& [first, stop, step] : given) slices.emplace_back(first, stop, step);
  return slices;
}

Selection selection_of(tessera::ResolvedSelection what, std::vector<std::size_t> const& dropped) {
  std::vector<std::size_t> ranks(what.shape.rank(), 1);
  for (auto d : dropped) ranks.at(d) = 0;
  Extents shape;
  for (std::size_t d = 0; d < what.shape.rank(); ++d)
    if (ranks[d] == 1) shape.push_back(what.shape[d]);
  return {std::move(what), std::move(ranks), shape};
}

Selection box(Numbers const& shape, Slices const& slices, std::vector<std::size_t> const& dropped) {
  return selection_of(tessera::Box{slices_of(slices)}.resolve(extents_of(shape)), dropped);
}

// The most frequent indices, `array[2:9, 4, ...]`, without a step in Python: slices, numbers of Python's, and one
// `...`. None for anything else, valid or not, which the Python half handles.
std::optional<Selection> basic(Array const& array, nb::handle index) {
  auto const shape = array.shape();
  auto const items = nb::isinstance<nb::tuple>(index) ? nb::borrow<nb::tuple>(index) : nb::make_tuple(index);
  std::size_t given = 0;
  for (nb::handle item : items) given += item.ptr() != Py_Ellipsis;
  if (given > shape.rank() || items.size() > given + 1) return std::nullopt;
  std::vector<Slice> slices;
  std::vector<std::size_t> dropped;
  auto const add_whole = [&](std::size_t count) {
    for (; count > 0; --count) slices.emplace_back(std::uint64_t{0}, shape[slices.size()]);
  };
  for (nb::handle item : items) {
    if (item.ptr() == Py_Ellipsis) {
      add_whole(shape.rank() - given);
      continue;
    }
    auto const length = static_cast<Py_ssize_t>(shape[slices.size()]);
    if (PySlice_Check(item.ptr())) {
      Py_ssize_t first = 0, stop = 0, step = 0;
      if (PySlice_Unpack(item.ptr(), &first, &stop, &step) != 0) throw nb::python_error();
      if (step < 1) return std::nullopt;
      PySlice_AdjustIndices(length, &first, &stop, step);
      slices.emplace_back(static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(std::max(first, stop)),
                          static_cast<std::uint64_t>(step));
    } else if (PyLong_CheckExact(item.ptr())) {
      auto at = PyLong_AsSsize_t(item.ptr());
      if (at == -1 && PyErr_Occurred()) return PyErr_Clear(), std::nullopt;
      if (at < 0) at += length;
      if (at < 0 || at >= length) return std::nullopt;
      dropped.push_back(slices.size());
      slices.emplace_back(static_cast<std::uint64_t>(at), static_cast<std::uint64_t>(at) + 1);
    } else {
      return std::nullopt;
    }
  }
  add_whole(shape.rank() - slices.size());
  return selection_of(tessera::Box{std::move(slices)}.resolve(shape), dropped);
}

Selection blocks(Numbers const& shape, Numbers const& chunk_shape, Slices const& slices) {
  return selection_of(tessera::Blocks{slices_of(slices)}.resolve(extents_of(shape), extents_of(chunk_shape)), {});
}

// `lists` has the dimension, the indices, and their original shape, for each dimension that is selected by a list.
Selection orthogonal(Numbers const& shape, Slices const& slices,
                     std::vector<std::tuple<std::size_t, Memory<std::uint64_t, 1>, Numbers>> const& lists,
                     std::vector<std::size_t> const& dropped) {
  std::vector<tessera::Indices> indices;
  for (auto const& slice : slices_of(slices)) indices.emplace_back(slice);
  for (auto const& [d, list, given] : lists) indices.at(d) = std::span{list.data(), list.size()};
  auto found = selection_of(tessera::Orthogonal{std::move(indices)}.resolve(extents_of(shape)), dropped);
  for (auto const& [d, list, given] : lists) found.ranks.at(d) = given.size();
  Extents of_memory;
  for (std::size_t d = 0; d < found.ranks.size(); ++d) {
    auto const list = std::ranges::find(lists, d, [](auto const& one) { return std::get<0>(one); });
    if (list != lists.end())
      for (auto n : std::get<2>(*list)) of_memory.push_back(n);
    else if (found.ranks[d] == 1)
      of_memory.push_back(found.what.shape[d]);
  }
  found.shape = of_memory;
  return found;
}

// A row of coordinates for each point.
Selection points(Numbers const& shape, Memory<std::uint64_t, 2> const& places, Numbers const& memory_shape) {
  auto const rank = shape.size();
  if (places.shape(1) != rank)
    throw SelectionError{to_text({"points of ", places.shape(1), " coordinates, expected ", rank})};
  auto const owner = std::make_shared<std::vector<std::uint64_t>>(places.data(), places.data() + places.size());
  tessera::ResolvedSelection what{tessera::PointList{*owner, owner, places.shape(0)}};
  what.expect_inside(extents_of(shape));
  return {std::move(what), {memory_shape.size()}, extents_of(memory_shape)};
}

Selection mask(Numbers const& shape, Memory<std::uint8_t, 1> const& mask) {
  tessera::ResolvedSelection what{tessera::Mask{std::span{mask.data(), mask.size()}}.resolve(extents_of(shape))};
  auto const count = what.shape;
  return {std::move(what), {1}, count};
}

}  // namespace

void add_selection(nb::module_& module) {
  nb::class_<Selection>(module, "Selection", "Elements of an array of a certain shape.")
      .def_prop_ro(
          "shape", [](Selection const& selection) { return tuple_of(selection.shape); }, "Of the memory for them.")
      .def_prop_ro(
          "joins",
          [](Selection const& selection) {
            return std::ranges::any_of(selection.ranks, [](std::size_t rank) { return rank > 1; });
          },
          "Whether several dimensions of the memory are one of what is selected: it has no gaps then.")
      .def_static("box", &box, nb::arg("shape"), nb::arg("slices"), nb::arg("dropped"))
      .def_static("basic", &basic, nb::arg("array"), nb::arg("index").none())
      .def_static("blocks", &blocks, nb::arg("shape"), nb::arg("chunk_shape"), nb::arg("slices"))
      .def_static("orthogonal", &orthogonal, nb::arg("shape"), nb::arg("slices"), nb::arg("lists"), nb::arg("dropped"))
      .def_static("points", &points, nb::arg("shape"), nb::arg("places"), nb::arg("memory_shape"))
      .def_static("mask", &mask, nb::arg("shape"), nb::arg("mask"));
}

}  // namespace python
