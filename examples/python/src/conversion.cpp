// Conversions of every pair of types, compiled once.
#include "conversion.hpp"

#include <tessera/array/visit.hpp>

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

std::unique_ptr<ConvertingPlacer> Conversion::placer_from(DataType from) const {
  auto const stored = from.kind == DataKind::boolean ? data_type_of<std::uint8_t>() : from;  // a byte of 0 or 1
  auto found = placer_to(Made{}, stored, *this);
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
          [](Conversion* self, std::string const& dtype, double scale, double offset) {
            new (self) Conversion{type_among(Made{}, dtype), scale, offset};
          },
          arg("dtype"), arg("scale"), arg("offset"));
}

}  // namespace python
