// Samplers: the library's own, which are iterators in Python too, and Python's.
#include "boxes.hpp"
#include "draw.hpp"
#include "interpreter.hpp"

#include <new>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <tessera/core/error.hpp>
#include <tessera/loader/sampler.hpp>

namespace python {
namespace {

using tessera::Box, tessera::Extents, tessera::Slice;

/// A sampler and the shape in which its boxes are.
template <class S>
struct Sampler {
  S native;
  Extents shape;
};
using UniformBoxes = Sampler<tessera::UniformBoxes>;
using ShuffledGrid = Sampler<tessera::ShuffledGrid>;
using WeightedBoxes = Sampler<tessera::WeightedBoxes>;
using Numbers = std::vector<std::uint64_t>;

// Boxes of a list may be of any array: an index that is the largest number stands for the last one.
Extents any_shape(nb::list const& boxes) {
  if (boxes.size() == 0) return {};
  nb::object const first = boxes[0];
  return Extents::filled(PySlice_Check(first.ptr()) ? 1 : nb::len(first), Slice{}.stop);
}

template <class S>
Draw drawn(Sampler<S> const& sampler) {
  return {[native = sampler.native]() mutable { return native(); }};
}

// The next box of a callable in Python; None is the end.
std::optional<Box> call(nb::object const& callable) {
  Locked const held{};
  if (!held) throw tessera::Cancelled{"the interpreter is ending"};
  try {
    auto const item = in_python([&] { return callable(); });
    if (item.is_none()) return std::nullopt;
    return box_of(item);
  } catch (nb::python_error& error) {
    throw SamplerFailed{kept(nb::python_error{std::move(error)})};
  }
}

Draw called(nb::object callable) {
  Draw draw;
  draw.next = [callable = kept(std::move(callable)), calls = draw.calls]() {
    if (!calls->begin()) throw tessera::Cancelled{"the loader was closed"};
    struct End {
      SamplerCalls& calls;
      ~End() { calls.end(); }
    } const end{*calls};
    return call(*callable);
  };
  return draw;
}

template <class S>
auto add_sampler(nb::module_& module, char const* name, char const* doc) {
  using Self = Sampler<S>;
  return nb::class_<Self>(module, name, doc)
      .def("__iter__", [](nb::handle self) { return nb::borrow<nb::typed<nb::object, Self>>(self); })
      .def(
          "__next__",
          [](Self& self) {
            auto const box = self.native();
            if (!box) throw nb::stop_iteration();
            return tuple_of_box(*box, self.shape);
          },
          "The next box, a slice for each dimension.")
      .def(
          "seek", [](Self& self, std::uint64_t position) { self.native.seek(position); }, nb::arg("position"),
          "Goes on as if so many boxes had been drawn.")
      .def_prop_ro(
          "position", [](Self const& self) { return self.native.position(); }, "Boxes that were drawn.");
}

}  // namespace

void add_samplers(nb::module_& module) {
  using nb::arg;
  auto const options = [](std::uint64_t seed, std::uint64_t rank, std::uint64_t ranks) {
    return tessera::SamplerOptions{seed, rank, ranks};
  };
  add_sampler<tessera::UniformBoxes>(module, "UniformBoxes",
                                     "Boxes of one shape, each anywhere in the array, every place equally likely.")
      .def(
          "__init__",
          [=](UniformBoxes* self, Numbers const& shape, Numbers const& box, std::optional<std::uint64_t> count,
              std::uint64_t seed, std::uint64_t rank, std::uint64_t ranks) {
            auto const of_array = Extents(shape);
            new (self) UniformBoxes{
                {of_array, Extents(box), options(seed, rank, ranks), count.value_or(tessera::endless)}, of_array};
          },
          arg("shape"), arg("box"), arg("count") = nb::none(), nb::kw_only(), arg("seed") = 0, arg("rank") = 0,
          arg("ranks") = 1,
          "`count`: boxes of all ranks together; None: no end. Box i of the seed's sequence belongs to process\n"
          "i % ranks. Raises SelectionError, if the box does not fit in the array.");
  add_sampler<tessera::ShuffledGrid>(
      module, "ShuffledGrid", "Each box of a grid once in an epoch, by one rank, in an order of the epoch's own.")
      .def(
          "__init__",
          [=](ShuffledGrid* self, Numbers const& shape, Numbers const& box, std::uint64_t epochs, std::uint64_t seed,
              std::uint64_t rank, std::uint64_t ranks) {
            auto const of_array = Extents(shape);
            new (self) ShuffledGrid{{of_array, Extents(box), options(seed, rank, ranks), epochs}, of_array};
          },
          arg("shape"), arg("box"), arg("epochs") = 1, nb::kw_only(), arg("seed") = 0, arg("rank") = 0,
          arg("ranks") = 1,
          "The grid begins at the array's first element; boxes that would reach beyond the array are left out.\n"
          "Raises SelectionError, if the box does not fit in the array, or has no element.");
  add_sampler<tessera::WeightedBoxes>(module, "WeightedBoxes", "Boxes of a list, as often as their weights say.")
      .def(
          "__init__",
          [=](WeightedBoxes* self, GivenBoxes const& boxes, std::vector<double> const& weights,
              std::optional<std::uint64_t> count, std::uint64_t seed, std::uint64_t rank, std::uint64_t ranks) {
            nb::list const listed{boxes};
            auto given = boxes_of(listed);
            auto const shape = any_shape(listed);
            new (self) WeightedBoxes{
                {std::move(given), weights, options(seed, rank, ranks), count.value_or(tessera::endless)}, shape};
          },
          arg("boxes"), arg("weights"), arg("count") = nb::none(), nb::kw_only(), arg("seed") = 0, arg("rank") = 0,
          arg("ranks") = 1,
          "`count`: boxes of all ranks together; None: no end. Raises SelectionError, unless each box has a weight,\n"
          "each weight is 0 or more, and one is more.");
  nb::class_<Draw>(module, "Draw", "Where a Loader takes its boxes from.")
      .def(
          "__init__", [](Draw* self, UniformBoxes const& sampler) { new (self) Draw{drawn(sampler)}; }, arg("sampler"))
      .def(
          "__init__", [](Draw* self, ShuffledGrid const& sampler) { new (self) Draw{drawn(sampler)}; }, arg("sampler"))
      .def(
          "__init__", [](Draw* self, WeightedBoxes const& sampler) { new (self) Draw{drawn(sampler)}; }, arg("sampler"))
      .def(
          "__init__",
          [](Draw* self, nb::typed<nb::callable, std::optional<PythonBox>()> sampler) {
            new (self) Draw{called(std::move(sampler))};
          },
          arg("sampler"));
}

}  // namespace python
