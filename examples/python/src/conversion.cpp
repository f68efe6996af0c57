// Conversions of every pair of types, compiled once.
#include "conversion.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <tessera/array/visit.hpp>
#include <tessera/core/detail/convert.hpp>
#include <tessera/place/detail/placer_by_index.hpp>

namespace python {
namespace {

using tessera::DataKind, tessera::DataType, tessera::Types, tessera::data_type_of;
using Made = Types<float, tessera::float16, double>;  ///< in the batches

template <class To, class... From>
std::unique_ptr<ConvertingPlacer> placer_among(Types<From...>, DataType from, Conversion const& given) {
  std::unique_ptr<ConvertingPlacer> found;
  auto const try_type = [&]<class T>(std::type_identity<T>) {
    using Way = tessera::detail::ToProgram<To, T>;
    if (from == data_type_of<T>())
      found = std::make_unique<tessera::detail::ConvertingPlacer<Host, Way>>(Way{given.scale, given.offset});
  };
  (try_type(std::type_identity<From>{}), ...);
  return found;
}

template <class... To>
std::unique_ptr<ConvertingPlacer> placer_to(Types<To...>, DataType from, Conversion const& given) {
  std::unique_ptr<ConvertingPlacer> found;
  auto const try_type = [&]<class T>(std::type_identity<T>) {
    if (given.to == data_type_of<T>()) found = placer_among<T>(tessera::RealTypes{}, from, given);
  };
  (try_type(std::type_identity<To>{}), ...);
  return found;
}

template <class... To>
DataType type_among(Types<To...>, std::string const& name) {
  std::string known;
  for (auto const type : {data_type_of<To>()...}) {
    if (type.name() == name) return type;
    known += (known.empty() ? "" : ", ") + type.name();
  }
  throw tessera::ConversionError{tessera::to_text({"found the dtype ", name, ", expected one of ", known})};
}

}  // namespace

std::unique_ptr<ConvertingPlacer> Conversion::placer_from(DataType from, tessera::Extents const& shape) const {
  auto const stored = from.kind == DataKind::boolean ? data_type_of<std::uint8_t>() : from;  // a byte of 0 or 1
  auto found = placer_to(Made{}, stored, *this);
  if (found && by_index.is_given()) {
    tessera::detail::expect_scales_for(by_index, shape);
    auto const& [dimension, scales, offsets] = by_index;
    std::vector<std::unique_ptr<ConvertingPlacer>> each;
    for (std::size_t i = 0; i < std::max(scales.size(), offsets.size()); ++i)
      each.push_back(placer_to(
          Made{}, stored, {to, scales.empty() ? 1 : scales[i], offsets.empty() ? 0 : offsets[i]}));
    return std::make_unique<tessera::detail::PlacerByIndex<Host>>(dimension, std::move(each));
  }
  if (!found)
    throw tessera::ConversionError{tessera::to_text(
        {"elements of ", from.name(), " are not converted, but those of bool, integers, float16, float32, float64"})};
  return found;
}

void add_conversion(nb::module_& module) {
  using nb::arg;
  nb::class_<Conversion>(module, "Conversion", "An array's elements as numbers of another type.")
      .def(
          "__init__",
          [](Conversion* self, std::string const& dtype, double scale, double offset, std::size_t axis,
             std::vector<double> scales, std::vector<double> offsets) {
            new (self) Conversion{type_among(Made{}, dtype), scale, offset, {axis, std::move(scales), std::move(offsets)}};
          },
          arg("dtype"), arg("scale"), arg("offset"), arg("axis"), arg("scales"), arg("offsets"));
}

}  // namespace python
