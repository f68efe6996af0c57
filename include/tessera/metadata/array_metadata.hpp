// What `zarr.json` says of an array (core specification, "Array metadata").
#pragma once
#include <bit>
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
#include <tessera/metadata/dimension_names.hpp>
#include <tessera/metadata/document.hpp>
#include <tessera/metadata/element_type.hpp>
#include <tessera/metadata/fill_value.hpp>
#include <tessera/metadata/format.hpp>
#include <tessera/metadata/rectilinear.hpp>

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

// A rectilinear grid of one length along each dimension is a regular one.
[[gnu::cold]] inline Extents read_edges(Value const& configuration, Extents const& shape,
                                        std::vector<ChunkEdges>& edges) {
  auto found = read_rectilinear(configuration, shape);
  Extents longest;
  bool is_regular = true;
  for (auto const& axis : found) {
    is_regular = is_regular && axis.repeats;
    longest.push_back(axis.longest());
  }
  if (!is_regular) edges = std::move(found);
  return longest;
}

inline Extents read_chunk_grid(MemberValue const& found, Extents const& shape, std::vector<ChunkEdges>& edges) {
  auto const grid = specification(found);
  if (grid.name == "rectilinear") return read_edges(grid.configuration, shape, edges);
  if (grid.name != "regular")
    throw MetadataError{
        text({"chunk grid ", describe(grid.name)}),
        text({"member chunk_grid: ", describe(grid.name), " is not supported, only \"regular\" and \"rectilinear\""})};
  ObjectReader configuration{grid.configuration, "chunk_grid.configuration"};
  auto const member = configuration.at("chunk_shape");
  auto chunk_shape = member.extents();
  configuration.finish();
  if (chunk_shape.rank() != shape.rank()) member.refuse(text({shape.rank(), " numbers, as in shape"}));
  for (std::size_t d = 0; d < shape.rank(); ++d)
    if (chunk_shape[d] == 0) {
      if (shape[d] != 0) member.refuse("numbers of at least 1");
      chunk_shape[d] = 1;  // older zarr-python wrote 0 where the dimension is 0: there are no chunks
    }
  return chunk_shape;
}

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

// A document of Zarr v2 comes as v3 says it, and with its own format.
inline ZarrFormat read_format(ObjectReader& reader) {
  auto const found = reader.find("zarr_format");
  return found && found->value() == Value::integer(2) ? ZarrFormat::v2 : ZarrFormat::v3;
}

inline Members read_attributes(ObjectReader& reader) {
  auto const found = reader.find("attributes");
  if (!found) return {};
  auto* attributes = found->value().get_if<Members>();
  if (!attributes) found->refuse("an object");
  return *attributes;
}

// Calls look(configuration) for the codec `bytes`, in shards for that of their chunks.
template <class F>
[[gnu::cold]] void visit_bytes_codec(std::span<Specification> codecs, F const& look) {
  for (auto& codec : codecs) {
    if (codec.name == "bytes") look(codec.configuration);
    auto* const members = codec.name == "sharding_indexed" ? codec.configuration.get_if<Members>() : nullptr;
    if (!members) continue;
    for (auto& member : *members) {
      auto* const list = member.name == "codecs" ? member.value.get_if<List>() : nullptr;
      if (!list) continue;
      std::vector<Specification> inner;
      for (auto const& one : *list) inner.push_back(specification({one, "codecs"}));
      visit_bytes_codec(std::span{inner}, look);
      for (std::size_t i = 0; i < inner.size(); ++i) (*list)[i] = tessera::to_value(inner[i]);
    }
  }
}

// The fill value of "structured", in base64, has the byte order of the codec: from the machine's to that, or back.
[[gnu::cold]] inline std::vector<std::byte> fill_in_codec_order(ArrayMetadata const& array) {
  auto codecs = array.codecs;
  bool is_big = false;
  visit_bytes_codec(std::span{codecs}, [&](Value const& configuration) {
    auto const* const members = configuration.get_if<Members>();
    is_big = members && members->contains("endian") && members->at("endian") == Value{"big"};
  });
  auto fill = array.fill;
  if (is_big != (std::endian::native == std::endian::big)) swap_components(fill, components_of(array.fields));
  return fill;
}

// "structured", which zarr-python writes: without a byte order it is little endian.
[[gnu::cold]] inline void put_byte_order_right(ArrayMetadata& array, MemberValue const& fill) {
  visit_bytes_codec(std::span{array.codecs}, [&](Value& configuration) {
    auto const* const members = configuration.get_if<Members>();
    if (array.type.component() > 1 && !(members && members->contains("endian")))
      configuration = Members{{"endian", "little"}};
  });
  if (fill.value().get_if<std::string>()) array.fill = fill_in_codec_order(array);
}

inline Value to_value(Extents const& extents) {
  List list;
  for (auto n : extents) list.push_back(Number{std::to_string(n)});
  return list;
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
  if (array.is_of_numpy && array.type.kind == DataKind::structure) detail::put_byte_order_right(array, fill);
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
  if (auto const names = reader.find("dimension_names")) {
    if (names->list().size() != array.shape.rank()) names->refuse(text({array.shape.rank(), " names, as in shape"}));
    for (std::size_t d = 0; d < array.shape.rank(); ++d) {
      auto const name = names->item(d);
      array.dimension_names.push_back(name.value().is_null() ? std::nullopt : std::optional{name.string()});
    }
  }
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
      {"chunk_grid", array.edges.empty()
                         ? to_value({"regular", Members{{"chunk_shape", detail::to_value(array.chunk_shape)}}})
                         : detail::write_rectilinear(array.edges)},
      {"chunk_key_encoding", to_value({array.key_encoding.v2 ? "v2" : "default",
                                       Members{{"separator", std::string{array.key_encoding.separator}}}})},
      {"fill_value", array.is_of_numpy ? Value{detail::encode_base64(detail::fill_in_codec_order(array))}
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
