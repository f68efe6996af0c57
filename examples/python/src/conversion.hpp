// Conversion: an array's elements as numbers of another type, from Python.
#pragma once
#include "module.hpp"

#include <memory>
#include <string>

#include <tessera/array/convert.hpp>
#include <tessera/place/detail/convert.hpp>

namespace python {

using ConvertingPlacer = tessera::detail::AnyConvertingPlacer<Host>;

struct Conversion {
  tessera::DataType to;
  double scale = 1, offset = 0;
  tessera::ScaleByIndex by_index{};  ///< instead of these

  /// What places the elements of an array of that type and shape. Throws: ConversionError, if they are not converted,
  /// or the shape has other indices.
  std::unique_ptr<ConvertingPlacer> placer_from(tessera::DataType from, tessera::Extents const& shape) const;
};

}  // namespace python
