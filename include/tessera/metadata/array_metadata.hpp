// What `zarr.json` says of an array (core specification, "Array metadata").
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/field.hpp>
#include <tessera/key/chunk_key.hpp>
#include <tessera/metadata/base64.hpp>
#include <tessera/metadata/chunk_grid.hpp>
#include <tessera/metadata/dimension_names.hpp>
#include <tessera/metadata/document.hpp>
#include <tessera/metadata/element_type.hpp>
#include <tessera/metadata/fill_value.hpp>
#include <tessera/metadata/format.hpp>
#include <tessera/metadata/node_members.hpp>
#include <tessera/metadata/structured.hpp>
#include <tessera/plan/chunk_edges.hpp>

namespace tessera { inline namespace v0 {

struct ArrayMetadata {
  Extents shape;  ///< elements along each dimension
  DataType type;
  Extents chunk_shape;  ///< elements; of a rectilinear grid, the longest chunk along each dimension
  ChunkKeyEncoding key_encoding;
  std::vector<std::byte> fill;  ///< one element, in the machine's byte order; of strings and bytes, its bytes
  std::vector<Specification> codecs;
  Members attributes{};
  DimensionNames dimension_names{};    ///< empty, if there are none
  Members tolerated{};                 ///< members of other programs, kept as they are
  List storage_transformers{};         ///< likewise: those that need not be understood
  ZarrFormat format = ZarrFormat::v3;  ///< of its documents
  std::vector<Field> fields{};         ///< of structs; empty for other elements
  bool is_of_numpy = false;            ///< ElementType::is_of_numpy: names of zarr-python's own in the document
  std::vector<ChunkEdges> edges{};     ///< of a rectilinear grid, for each dimension; empty for a regular one
};

namespace detail {

inline ChunkKeyEncoding read_key_encoding(MemberValue const& found) {
  auto const encoding = specification(found);
  if (encoding.name != "default" && encoding.name != "v2")
    throw MetadataError{text({"chunk key encoding ", describe(encoding.name)}),
                        text({"member chunk_key_encoding: ", describe(encoding.name),
                              " is not supported, only \"default\" and \"v2\""})};
  ChunkKeyEncoding result{encoding.name == "v2", encoding.name == "v2" ? '.' : '/'};
  ObjectReader configuration{encoding.configuration, "chunk_key_encoding.configuration"};
  if (auto const separator = configuration.find("separator")) result.separator = separator->one_of({"/", "."})[0];
  configuration.finish();
  return result;
}

inline DimensionNames read_dimension_names(ObjectReader& reader, std::size_t rank) {
  DimensionNames names;
  auto const found = reader.find("dimension_names");
  if (!found) return names;
  if (found->list().size() != rank) found->refuse(text({rank, " names, as in shape"}));
  for (std::size_t d = 0; d < rank; ++d) {
    auto const name = found->item(d);
    names.push_back(name.value().is_null() ? std::nullopt : std::optional{name.string()});
  }
  return names;
}

[[gnu::cold]] inline void expect_no_holes(std::span<Field const> fields) {
  for (auto const& field : fields) {
    if (field.name.empty())
      throw MetadataError{"member data_type: the fields of a struct have names and no holes between them in Zarr v3"};
    expect_no_holes(field.fields);
  }
}

}  // namespace detail

/// Throws: MetadataError naming the member, what was found and what was expected. An error that says what is
/// unsupported finds nothing wrong.
inline ArrayMetadata read_array_metadata(ObjectReader& reader) {
  reader.at("node_type").one_of({"array"});
  ArrayMetadata array;
  array.format = detail::read_format(reader);
  std::optional<MetadataError> unsupported;  // the first
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
  auto const fill = reader.at("fill_value");
  if (!array.fields.empty() && !array.is_of_numpy && array.format == ZarrFormat::v3 && !fill.value().get_if<Members>())
    fill.refuse("an object");  // base64 is zarr-python's and that of Zarr v2
  if (!unsupported)  // what the type would have there is not known
    array.fill = read_fill_value(fill, array.type, array.fields);
  unless_unsupported(
      [&] { array.chunk_shape = detail::read_chunk_grid(reader.at("chunk_grid"), array.shape, array.edges); });
  unless_unsupported([&] { array.key_encoding = detail::read_key_encoding(reader.at("chunk_key_encoding")); });
  auto const codecs = reader.at("codecs");
  for (std::size_t i = 0; i < codecs.list().size(); ++i) array.codecs.push_back(specification(codecs.item(i)));
  if (array.is_of_numpy && array.type.kind == DataKind::structure) {
    detail::name_byte_order(array.codecs, array.type);
    if (fill.value().get_if<std::string>())
      array.fill = detail::in_codec_order(std::move(array.fill), array.codecs, array.fields);
  }
  array.attributes = detail::read_attributes(reader);
  if (auto const transformers = reader.find("storage_transformers"))
    for (std::size_t i = 0; i < transformers->list().size(); ++i) {
      auto const name = specification(transformers->item(i)).name;
      unless_unsupported([&] {
        if (!may_be_ignored(transformers->list()[i]))
          throw MetadataError{text({"storage transformer ", describe(name)}),
                              text({"member storage_transformers: ", describe(name), " is not supported"})};
      });
      array.storage_transformers.push_back(transformers->list()[i]);
    }
  array.dimension_names = detail::read_dimension_names(reader, array.shape.rank());
  array.tolerated = tolerated(reader);
  if (unsupported) throw *unsupported;
  checked_size(checked_product(element_count(array.shape, "member shape"), array.type.size, "member shape"),
               "member shape");
  return array;
}

/// The document of v3, member for member as zarr-python writes it; of an array of Zarr v2, as read_document gives it.
inline Value to_value(ArrayMetadata const& array) {
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
  document.push_back({"zarr_format", Value::integer(static_cast<int>(array.format))});
  document.push_back({"node_type", "array"});
  document.push_back({"storage_transformers", array.storage_transformers});
  for (auto const& member : array.tolerated) document.push_back(member);
  return document;
}

}}  // namespace tessera::v0
