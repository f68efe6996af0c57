#pragma once
#include <tessera/metadata/detail/v2_array.hpp>

#include <cstddef>
#include <string>
#include <utility>

#include <tessera/core/detail/numpy_type.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/element_type.hpp>
#include <tessera/metadata/detail/v2_codecs.hpp>
#include <tessera/metadata/detail/v2_fill.hpp>
#include <tessera/metadata/format.hpp>

namespace tessera { inline namespace v0 { namespace detail {

[[gnu::cold]] TESSERA_DECL void expect_v2(ObjectReader& reader) {
  if (auto const format = reader.at("zarr_format"); !is_format(format.value(), "2")) format.refuse("2");
}

TESSERA_DECL Value const* dimension_names_in(Value const& attributes, std::size_t rank) {
  auto const* const members = attributes.get_if<Members>();
  auto const* const names = members ? members->find(v2_dimension_names) : nullptr;
  auto const* const list = names ? names->get_if<List>() : nullptr;
  if (!list || list->size() != rank) return nullptr;
  for (auto const& name : *list)
    if (!name.is_null() && !name.get_if<std::string>()) return nullptr;
  return names;
}

TESSERA_DECL Value lower_v2_array(Value const& document, Value attributes) {
  ObjectReader reader{document, ""};
  expect_v2(reader);
  auto const shape = reader.at("shape").extents(), chunks = reader.at("chunks").extents();
  auto const rank = shape.rank();
  if (chunks.rank() != rank) reader.at("chunks").refuse(to_text({rank, " numbers, as in shape"}));
  for (std::size_t d = 0; d < rank; ++d)
    if (chunks[d] == 0 && shape[d] != 0) reader.at("chunks").refuse("numbers of at least 1");
  auto const dtype = reader.at("dtype");
  auto const type = dtype.value() == Value{"|O"} ? v2_object_type(reader, dtype) : read_numpy_type(dtype);
  auto const fill = reader.find("fill_value");
  std::string separator = ".";
  if (auto const found = reader.find("dimension_separator"); found && !found->value().is_null())
    separator = found->one_of({".", "/"});
  auto codecs = lower_v2_codecs(reader, type, rank);
  Members lowered{{"shape", reader.at("shape").value()},
                  {"data_type", write_element_type(type.type, type.fields, false)},
                  {"chunk_grid", tessera::to_value({"regular", Members{{"chunk_shape", reader.at("chunks").value()}}})},
                  {"chunk_key_encoding", tessera::to_value({"v2", Members{{"separator", std::move(separator)}}})},
                  {"fill_value", lower_v2_fill(fill ? fill->value() : Value{}, type)},
                  {"codecs", std::move(codecs)}};
  auto const* const names = dimension_names_in(attributes, rank);
  if (names) lowered.push_back({"dimension_names", *names});
  if (!fill || fill->value().is_null()) lowered.push_back({"has_no_fill", true});  // ArrayMetadata::has_no_fill
  lowered.push_back({"attributes", attributes.is_null() ? Value{Members{}} : std::move(attributes)});
  lowered.push_back({"zarr_format", Value::integer(2)});
  lowered.push_back({"node_type", "array"});
  return lowered;
}

TESSERA_DECL Value lower_v2_group(Value const& document, Value attributes) {
  ObjectReader reader{document, ""};
  expect_v2(reader);
  return Members{{"attributes", attributes.is_null() ? Value{Members{}} : std::move(attributes)},
                 {"zarr_format", Value::integer(2)},
                 {"node_type", "group"}};
}

}}}  // namespace tessera::v0::detail
