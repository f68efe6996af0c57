#pragma once
#include <tessera/metadata/documents.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/detail/base64.hpp>
#include <tessera/metadata/detail/chunk_grid.hpp>
#include <tessera/metadata/detail/document.hpp>
#include <tessera/metadata/detail/element_type.hpp>
#include <tessera/metadata/detail/fill_value.hpp>
#include <tessera/metadata/detail/format.hpp>
#include <tessera/metadata/detail/node_members.hpp>
#include <tessera/metadata/detail/structured.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// Never stored: marks a Zarr v2 document in v3 form whose fill value is null or missing.
inline constexpr std::string_view no_fill = "has_no_fill";

TESSERA_DECL ChunkKeyEncoding read_key_encoding(MemberValue const& found) {
  auto const encoding = specification(found);
  if (encoding.name != "default" && encoding.name != "v2")
    throw MetadataError{to_text({"chunk key encoding ", describe(encoding.name)}),
                        to_text({"member chunk_key_encoding: ", describe(encoding.name),
                                 " is not supported, only \"default\" and \"v2\""})};
  ChunkKeyEncoding result{encoding.name == "v2", encoding.name == "v2" ? '.' : '/'};
  ObjectReader configuration{encoding.configuration, "chunk_key_encoding.configuration"};
  if (auto const separator = configuration.find("separator")) result.separator = separator->one_of({"/", "."})[0];
  configuration.finish();
  return result;
}

TESSERA_DECL DimensionNames read_dimension_names(ObjectReader& reader, std::size_t rank) {
  DimensionNames names;
  auto const found = reader.find("dimension_names");
  if (!found || found->value().is_null()) return names;  // early Icechunk writes null
  if (found->list().size() != rank) found->refuse(to_text({rank, " names, as in shape"}));
  for (std::size_t d = 0; d < rank; ++d) {
    auto const name = found->item(d);
    names.push_back(name.value().is_null() ? std::nullopt : std::optional{name.string()});
  }
  return names;
}

/// Completes codecs of GDAL until 3.10, as GDAL reads them: `order` of transpose may be "C" or "F", and elements are
/// little-endian without a codec that makes bytes of them.
[[gnu::cold]] TESSERA_DECL void complete_codecs_of_gdal(std::vector<Specification>& codecs, std::size_t rank,
                                                        DataType type) {
  std::size_t behind = 0;  // the first codec after transpose
  for (; behind < codecs.size() && codecs[behind].name == "transpose"; ++behind)
    if (auto* const members = codecs[behind].configuration.get_if<Members>())
      for (auto& member : *members) {
        bool const is_reversed = member.value == Value{"F"};
        if (member.name != "order" || (!is_reversed && member.value != Value{"C"})) continue;
        List order;
        for (std::size_t d = 0; d < rank; ++d)
          order.push_back(Value::integer(static_cast<long long>(is_reversed ? rank - 1 - d : d)));
        member.value = std::move(order);
      }
  if (behind < codecs.size() && codecs[behind].name != "gzip" && codecs[behind].name != "blosc") return;
  Specification bytes{"bytes"};
  if (type.component() > 1) bytes.configuration = Members{{"endian", "little"}};
  codecs.insert(codecs.begin() + static_cast<std::ptrdiff_t>(behind), std::move(bytes));
}

[[gnu::cold]] TESSERA_DECL void expect_no_holes(std::span<Field const> fields) {
  for (auto const& field : fields) {
    if (field.name.empty())
      throw MetadataError{
          "member data_type: the fields of a struct must have names and no gaps between them in Zarr v3"};
    expect_no_holes(field.fields);
  }
}

}  // namespace detail

TESSERA_DECL ArrayMetadata read_array_metadata(ObjectReader& reader) {
  reader.at("node_type").one_of({"array"});
  ArrayMetadata array;
  array.format = detail::read_format(reader);
  std::optional<MetadataError> unsupported;  // the first error
  auto const unless_unsupported = [&](auto&& read) {
    try {
      read();
    } catch (MetadataError const& error) {
      if (error.unsupported().empty()) throw;
      if (!unsupported) unsupported = error;
    }
  };
  array.shape = reader.at("shape").extents();
  unless_unsupported([&] {
    auto element = detail::read_element_type(reader.at("data_type"));
    array.type = element.type;
    array.fields = std::move(element.fields);
    array.is_of_numpy = element.is_of_numpy;
    if (array.format == ZarrFormat::v3) detail::expect_no_holes(array.fields);
  });
  bool const is_v3 = array.format == ZarrFormat::v3;
  auto const codecs = reader.find("codecs");  // missing: written by GDAL until 3.10
  if (codecs) {
    auto const chain = codecs->list(bounds::codecs, "codecs").size();
    for (std::size_t i = 0; i < chain; ++i)
      unless_unsupported([&] { array.codecs.push_back(specification(codecs->item(i))); });
  }
  auto const said = array.codecs.size();
  if (is_v3 && (!codecs || said > 0)) detail::complete_codecs_of_gdal(array.codecs, array.shape.rank(), array.type);
  bool const is_of_gdal = array.codecs.size() != said || (said > 0 && array.codecs.front().name == "endian");
  auto const fill = reader.at("fill_value");
  if (!array.fields.empty() && !array.is_of_numpy && is_v3 && !fill.value().get_if<Members>())
    fill.refuse("an object");  // only zarr-python and Zarr v2 use base64
  if (!unsupported) {          // without the type, its form is unknown
    if (is_of_gdal && fill.value().is_null())
      array.fill.assign(array.type.size, std::byte{});
    else
      array.fill = read_fill_value(fill, array.type, array.fields);
  }
  unless_unsupported(
      [&] { array.chunk_shape = detail::read_chunk_grid(reader.at("chunk_grid"), array.shape, array.edges); });
  unless_unsupported([&] { array.key_encoding = detail::read_key_encoding(reader.at("chunk_key_encoding")); });
  if (array.is_of_numpy && array.type.kind == DataKind::structure) {
    detail::name_byte_order(array.codecs, array.type);
    if (fill.value().get_if<std::string>())
      array.fill = detail::in_codec_order(std::move(array.fill), array.codecs, array.fields);
  }
  array.broken_attributes = detail::broken_attributes(reader);
  if (array.broken_attributes.empty()) array.attributes = detail::read_attributes(reader);
  if (auto const transformers = reader.find("storage_transformers")) {
    auto const count = transformers->list(bounds::storage_transformers, "storage transformers").size();
    for (std::size_t i = 0; i < count; ++i) {
      auto const name = specification(transformers->item(i)).name;
      unless_unsupported([&] {
        if (!may_be_ignored(transformers->list()[i]))
          throw MetadataError{to_text({"storage transformer ", describe(name)}),
                              to_text({"member storage_transformers: ", describe(name), " is not supported"})};
      });
      array.storage_transformers.push_back(transformers->list()[i]);
    }
  }
  array.dimension_names = detail::read_dimension_names(reader, array.shape.rank());
  reader.drop_null("consolidated_metadata");  // of groups only; null has no meaning
  if (array.format == ZarrFormat::v2) array.has_no_fill = reader.find(detail::no_fill).has_value();
  array.tolerated = tolerated(reader);
  if (unsupported) throw *unsupported;
  return array;
}

TESSERA_DECL ChunkSpecification chunk_of(ArrayMetadata const& array) {
  return {array.chunk_shape, array.type, array.fill, detail::components_of(array.fields)};
}

TESSERA_DECL Value to_value(ArrayMetadata const& array) {
  detail::expect_attributes(array.broken_attributes);
  List codecs, names;
  for (auto const& codec : array.codecs) codecs.push_back(to_value(codec));
  for (auto const& name : array.dimension_names) names.push_back(name ? Value{*name} : Value{});
  Members document{
      {"shape", detail::to_value(array.shape)},
      {"data_type", detail::write_element_type(array.type, array.fields, array.is_of_numpy)},
      {"chunk_grid", detail::write_chunk_grid(array.chunk_shape, array.edges)},
      {"chunk_key_encoding", to_value({array.key_encoding.v2 ? "v2" : "default",
                                       Members{{"separator", std::string{array.key_encoding.separator}}}})},
      {"fill_value", array.is_of_numpy
                         ? Value{detail::encode_base64(detail::in_codec_order(array.fill, array.codecs, array.fields))}
                         : write_fill_value(array.fill, array.type, array.fields)},
      {"codecs", std::move(codecs)},
      {"attributes", array.attributes}};
  if (!names.empty()) document.push_back({"dimension_names", std::move(names)});
  if (array.has_no_fill && array.format == ZarrFormat::v2) document.push_back({std::string{detail::no_fill}, true});
  document.push_back({"zarr_format", Value::integer(static_cast<int>(array.format))});
  document.push_back({"node_type", "array"});
  document.push_back({"storage_transformers", array.storage_transformers});
  for (auto const& member : array.tolerated) document.push_back(member);
  return document;
}

TESSERA_DECL GroupMetadata read_group_metadata(ObjectReader& reader) {
  reader.at("node_type").one_of({"group"});
  GroupMetadata group;
  group.broken_attributes = detail::broken_attributes(reader);
  if (group.broken_attributes.empty()) group.attributes = detail::read_attributes(reader);
  group.format = detail::read_format(reader);
  auto const copies = reader.find("consolidated_metadata");
  group.has_consolidated = copies && !copies->value().is_null();
  group.tolerated = tolerated(reader);
  return group;
}

TESSERA_DECL Value to_value(GroupMetadata const& group) {
  detail::expect_attributes(group.broken_attributes);
  Members document{{"attributes", group.attributes},
                   {"zarr_format", Value::integer(static_cast<int>(group.format))},
                   {"node_type", "group"}};
  for (auto const& member : group.tolerated) document.push_back(member);
  return document;
}

}}  // namespace tessera::v0
