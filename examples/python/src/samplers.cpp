// Samplers: the library's own, which are iterators in Python too, and Python's.
#include "boxes.hpp"
#include "draw.hpp"
#include "interpreter.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <tessera/array/read_boxes.hpp>
#include <tessera/core/error.hpp>
#include <tessera/loader/detail/shared_draws.hpp>
#include <tessera/loader/sampler.hpp>

namespace python {
namespace {

using tessera::Box, tessera::Extents, tessera::OrientedBox, tessera::Orientation, tessera::Slice;

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

/// One of the library's samplers, of a kind that is known at run time.
struct AnySampler {
  std::variant<tessera::UniformBoxes, tessera::ShuffledGrid, tessera::WeightedBoxes> one;
  std::optional<Box> operator()() {
    return std::visit([](auto& sampler) { return sampler(); }, one);
  }
  void seek(std::uint64_t position) {
    std::visit([&](auto& sampler) { sampler.seek(position); }, one);
  }
};
using RandomOrientations = Sampler<tessera::RandomOrientations<AnySampler>>;
using GivenSampler = std::variant<UniformBoxes, ShuffledGrid, WeightedBoxes>;

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
std::optional<OrientedBox> call(nb::object const& callable) {
  Locked const held{};
  if (!held) throw tessera::Cancelled{"the interpreter is ending"};
  try {
    auto const item = in_python([&] { return callable(); });
    if (item.is_none()) return std::nullopt;
    return oriented_box_of(item);
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
            if constexpr (std::same_as<Self, RandomOrientations>)
              return nb::borrow<OrientedPythonBox>(
                  nb::make_tuple(tuple_of_box(box->box, self.shape), box->orientation));
            else
              return tuple_of_box(*box, self.shape);
          },
          "The next box, a slice for each dimension; of RandomOrientations a pair of it and its Orientation.")
      .def(
          "seek", [](Self& self, std::uint64_t position) { self.native.seek(position); }, nb::arg("position"),
          "Goes on as if so many boxes had been drawn.")
      .def_prop_ro(
          "position", [](Self const& self) { return self.native.position(); }, "Boxes that were drawn.");
}

void add_orientation(nb::module_& module) {
  using nb::arg;
  auto const numbers = [](Extents const& given) { return nb::tuple(nb::cast(Numbers(given.begin(), given.end()))); };
  using Dimensions = nb::typed<nb::tuple, std::uint64_t, nb::ellipsis>;
  nb::class_<Orientation>(module, "Orientation",
                          "How a box lies in a batch: as `numpy.flip(box, flip).transpose(axes)`.")
      .def(
          "__init__",
          [](Orientation* self, Numbers const& flip, Numbers const& axes) {
            new (self) Orientation{Extents(flip), Extents(axes)};
          },
          arg("flip") = Numbers{}, arg("axes") = Numbers{},
          "`axes`: without any, and behind those given, dimensions stay.")
      .def_prop_ro("flip", [=](Orientation const& self) { return nb::borrow<Dimensions>(numbers(self.flip)); })
      .def_prop_ro("axes", [=](Orientation const& self) { return nb::borrow<Dimensions>(numbers(self.axes)); })
      .def(
          "__eq__", [](Orientation const& self, Orientation const& other) { return self == other; }, nb::is_operator(),
          nb::sig("def __eq__(self, arg: object, /) -> bool"))
      .def("__hash__",
           [=](Orientation const& self) { return nb::hash(nb::make_tuple(numbers(self.flip), numbers(self.axes))); })
      .def("__repr__", [=](Orientation const& self) {
        return "Orientation(flip=" + detail::text_of(numbers(self.flip)) +
               ", axes=" + detail::text_of(numbers(self.axes)) + ")";
      });
}

}  // namespace

void add_samplers(nb::module_& module) {
  using nb::arg;
  add_orientation(module);
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
  add_sampler<tessera::RandomOrientations<AnySampler>>(
      module, "RandomOrientations", "The boxes of another sampler, each flipped and transposed at random.")
      .def(
          "__init__",
          [=](RandomOrientations* self, GivenSampler const& sampler, Numbers const& flip, Numbers const& permute,
              std::uint64_t seed, std::uint64_t rank, std::uint64_t ranks) {
            auto const [one, shape] = std::visit(
                [](auto const& given) {
                  return std::pair{AnySampler{given.native}, given.shape};
                },
                sampler);
            new (self) RandomOrientations{{one, {Extents(flip), Extents(permute)}, options(seed, rank, ranks)}, shape};
          },
          arg("sampler"), nb::kw_only(), arg("flip") = Numbers{}, arg("permute") = Numbers{}, arg("seed") = 0,
          arg("rank") = 0, arg("ranks") = 1,
          "`flip`: dimensions, each of which half of the boxes have flipped. `permute`: dimensions that come in any\n"
          "order; a box is equally long along them. `sampler`: one of tessera's, of the same `rank` and `ranks`; a\n"
          "copy is used. Raises SelectionError, if a dimension is given twice.");
  nb::class_<Draw>(module, "Draw", "Where a Loader takes its boxes from.")
      .def(
          "__init__", [](Draw* self, RandomOrientations const& sampler) { new (self) Draw{drawn(sampler)}; },
          arg("sampler"))
      .def(
          "shared",
          [](Draw const& self, std::vector<std::size_t> const& ranks) {
            auto const least = ranks.empty() ? 0 : *std::ranges::min_element(ranks);
            auto const draws = std::make_shared<tessera::detail::SharedDraws>(self.next, ranks.size());
            std::vector<Draw> found;
            for (std::size_t i = 0; i < ranks.size(); ++i)
              found.push_back({tessera::detail::SharedDraws::reader(draws, i, least, ranks[i] - least), self.calls});
            return found;
          },
          arg("ranks"), "The same boxes for arrays of so many dimensions.")
      .def(
          "__init__", [](Draw* self, UniformBoxes const& sampler) { new (self) Draw{drawn(sampler)}; }, arg("sampler"))
      .def(
          "__init__", [](Draw* self, ShuffledGrid const& sampler) { new (self) Draw{drawn(sampler)}; }, arg("sampler"))
      .def(
          "__init__", [](Draw* self, WeightedBoxes const& sampler) { new (self) Draw{drawn(sampler)}; }, arg("sampler"))
      .def(
          "__init__",
          [](Draw* self, nb::typed<nb::callable, std::optional<std::variant<PythonBox, OrientedPythonBox>>()> sampler) {
            new (self) Draw{called(std::move(sampler))};
          },
          arg("sampler"));
}

}  // namespace python
