// Conversion: an array's elements as numbers of another type, from Python.
#pragma once
#include "module.hpp"

#include <memory>
#include <string>

#include <tessera/place/detail/convert.hpp>

namespace python {

using ConvertingPlacer = tessera::detail::AnyConvertingPlacer<Host>;

struct Conversion {
  tessera::DataType to;
  double scale = 1, offset = 0;

  /// What places the elements of an array of that type. Throws: ConversionError, if they are not converted.
  std::unique_ptr<ConvertingPlacer> placer_from(tessera::DataType from) const;
};

}  // namespace python
