#pragma once
#include <tessera/core/detail/convert.hpp>

#include <cstddef>
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/float16.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void refuse_scales_by_index() {
  throw ConversionError{"found scales of single indices, which only read_boxes_as and loader_as apply"};
}

TESSERA_DECL Conversion conversion_of(Conversion const& all, std::size_t index) {
  auto const& [dimension, scale, offset] = all.by_index;
  return {scale.empty() ? 1 : scale[index], offset.empty() ? 0 : offset[index], all.out_of_range, all.missing};
}

TESSERA_DECL void expect_scales_for(ScaleByIndex const& by_index, Extents const& shape) {
  auto const& [dimension, scale, offset] = by_index;
  if (dimension >= shape.rank())
    throw ConversionError{to_text({"found scales for dimension ", dimension, ", expected one of ", shape.rank()})};
  for (auto const* one : {&scale, &offset})
    if (!one->empty() && one->size() != shape[dimension])
      throw ConversionError{to_text({"found ", one->size(), one == &scale ? " scales" : " offsets", ", expected ",
                                     shape[dimension], ", one for each index of dimension ", dimension})};
}

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
