// checked_shape: whether a schema and an array of another library agree, before their buffers are used.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tessera/core/detail/arrow_shape.hpp>
#include <tessera/core/error.hpp>
#include <tessera/with/detail/arrow/arrow_abi.hpp>
#include <tessera/with/detail/exchange_error.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

[[noreturn]] inline void refuse_array(std::string_view name, std::string_view format, std::string_view why) {
  throw ExchangeError{to_text({"array \"", name, "\" of format \"", format, "\": ", why})};
}
[[noreturn]] inline void refuse_array(ArrowSchema const& schema, std::string_view why) {
  refuse_array(schema.name ? schema.name : "", schema.format ? schema.format : "", why);
}
/// Whether there are structs that were neither released nor moved away.
inline bool is_held(ArrowSchema const* schema, ArrowArray const* array) {
  return schema && array && schema->release && array->release;
}
/// The shape of a format. Throws: ExchangeError, which has Arrow's name of the type, if the library does not have it.
inline tessera::detail::ArrowShape known_shape(std::string_view name, std::string_view format) {
  if (auto const shape = tessera::detail::arrow_shape(format)) return *shape;
  auto const type = tessera::detail::arrow_name(format);
  refuse_array(name, format, type.empty() ? std::string{"the format is unknown"}
                                          : to_text({"the library does not have Arrow's type ", type}));
}

/// The shape of the schema, whose array has the buffers and the children for it; not whether they are long enough.
/// Throws: ExchangeError.
inline tessera::detail::ArrowShape checked_shape(ArrowSchema const& schema, ArrowArray const& array,
                                                 std::size_t depth) {
  std::string_view const format = schema.format ? schema.format : "";
  auto const shape = known_shape(schema.name ? schema.name : "", format);
  if (depth == tessera::detail::most_arrow_depth) refuse_array(schema, "columns are nested too deeply");
  auto const buffers = format == "n" ? 0 : 1 + (shape.offsets != 0) + (shape.data.size != 0);
  if (array.length < 0 || array.offset < 0 || array.null_count < -1 || array.n_buffers != buffers)
    refuse_array(schema, to_text({"the array has length ", array.length, ", offset ", array.offset, " and ",
                                  array.n_buffers, " buffers, expected ", buffers}));
  if (schema.n_children != array.n_children || array.n_children < 0 || !schema.dictionary != !array.dictionary)
    refuse_array(schema, to_text({"the array has ", array.n_children, " children, the schema ", schema.n_children}));
  if ((buffers != 0 && !array.buffers) || (array.n_children != 0 && (!schema.children || !array.children)))
    refuse_array(schema, "its buffers or children are missing");
  bool has_all = !schema.dictionary || is_held(schema.dictionary, array.dictionary);
  for (std::int64_t i = 0; has_all && i < array.n_children; ++i)
    has_all = is_held(schema.children[i], array.children[i]);
  if (!has_all) refuse_array(schema, "a child or its dictionary is missing, or was released or moved");
  return shape;
}

}}}}  // namespace tessera::v0::arrow_c::detail
