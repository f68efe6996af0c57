#pragma once
#include <tessera/core/convert.hpp>

#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/float16.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL ConversionError has_no_nan(DataType type) {
  return ConversionError{to_text({"missing numbers are read as NaN, which ", type.name(),
                                  " cannot represent: read them as float, double or float16"})};
}

TESSERA_DECL ConversionError does_not_fit(std::string const& number, bool is_same, DataType type,
                                          std::string const& place) {
  return ConversionError{
      to_text({"element ", place, " is ", number, ", which ", is_same ? "" : "with scale and offset ",
               "does not fit in ", type.name(), "; OutOfRange::saturate uses the nearest number"})};
}

}}}  // namespace tessera::v0::detail
