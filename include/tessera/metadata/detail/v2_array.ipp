#pragma once
#include <tessera/metadata/detail/v2_array.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/codec/detail/numcodecs.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/detail/numpy_type.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/detail/element_type.hpp>
#include <tessera/metadata/detail/format.hpp>
#include <tessera/metadata/detail/v2_fill.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// Whether a numcodecs filter changes elements rather than bytes.
[[gnu::cold]] TESSERA_DECL bool changes_elements(std::string_view id) {
  for (auto const* one : {"astype", "bitround", "delta", "fixedscaleoffset", "packbits", "quantize"})
    if (id == one) return true;
  return false;
}

// The type of Python objects, named by the first filter, which makes bytes of them. Throws: MetadataError naming the
// filter, if they are neither strings nor bytes.
[[gnu::cold]] TESSERA_DECL NumpyType v2_object_type(ObjectReader& document, MemberValue const& dtype) {
  auto const filters = document.find("filters");
  if (!filters || filters->value().is_null() || filters->list().empty())
    refuse_numpy_type(dtype, "Python objects without a filter that names their type, such as vlen-utf8");
  auto const first = filters->item(0);
  auto const id = ObjectReader{first}.at("id").string();
  if (id == "vlen-utf8") return NumpyType{string_type};
  if (id == "vlen-bytes") return NumpyType{bytes_type};
  throw MetadataError{to_text({"filter ", describe(id), " of objects"}),
                      to_text({"member ", first.where(), ": Python objects in ", describe(id),
                               " are not supported, only those in \"vlen-utf8\" and \"vlen-bytes\""})};
}

// The type after a filter, which names it in one of two members.
[[gnu::cold]] TESSERA_DECL NumpyType v2_filtered(std::string_view id, ObjectReader& filter, NumpyType const& from) {
  if (id == "packbits") return NumpyType{{DataKind::unsigned_integer, 1}};
  if (id == "bitround") return from;
  auto const* const before = id == "astype" ? "decode_dtype" : "dtype";
  auto const* const after = id == "astype" ? "encode_dtype" : "astype";
  auto const decoded = filter.at(before);
  auto const type = read_numpy_type(decoded);
  bool const counts_times = id == "delta" && is_count_of(type.type, from.type);
  if ((type.type != from.type && !counts_times) || type.is_big != from.is_big)
    throw MetadataError{to_text({"filter ", describe(std::string{id})}),
                        to_text({"member ", decoded.where(), ": found ", describe(decoded.value()), ", expected \"",
                                 write_numpy_type(from), "\", the type of its input"})};
  auto const encoded = filter.find(after);
  return encoded && !encoded->value().is_null() ? read_numpy_type(*encoded) : type;
}

// The v3 equivalent of a numcodecs codec. `size`: bytes of one input element.
[[gnu::cold]] TESSERA_DECL Value lower_v2_codec(std::string const& id, ObjectReader& found, std::size_t size) {
  if (auto const lowered = lower_numcodecs(id, found, size)) {
    found.finish(id);
    return tessera::to_value(*lowered);
  }
  Members configuration = *found.value().get_if<Members>();
  std::erase_if(configuration, [](Member const& member) { return member.name == "id"; });
  for (auto& member : configuration) member.value = without_quotes_of_integers(member.value);
  return tessera::to_value({"numcodecs." + id, std::move(configuration)});
}

/// Does not check whether the program has the codecs. Throws: MetadataError naming the member.
[[gnu::cold]] TESSERA_DECL List lower_v2_codecs(ObjectReader& document, NumpyType type, std::size_t rank) {
  List codecs;
  bool const is_reversed = document.at("order").one_of({"C", "F"}) == "F" && rank > 1;
  if (is_reversed) {
    List order;
    for (auto d = rank; d-- > 0;) order.push_back(Value::integer(static_cast<long long>(d)));
    codecs.push_back(tessera::to_value({"transpose", Members{{"order", std::move(order)}}}));
  }
  bool are_bytes = false;
  auto const make_bytes = [&] {
    Members configuration;
    if (type.type.component() > 1) configuration.push_back({"endian", type.is_big ? "big" : "little"});
    if (!are_bytes) codecs.push_back(tessera::to_value({"bytes", std::move(configuration)}));
    are_bytes = true;
  };
  auto const add = [&](MemberValue const& member, bool is_filter) {
    ObjectReader codec{member};
    auto const id = codec.at("id").string();
    if (type.type.varies()) {  // turns elements into bytes, as v2_object_type has checked
      codecs.push_back(tessera::to_value({id}));
      codec.finish(id);
      are_bytes = true;
      type = NumpyType{{DataKind::unsigned_integer, 1}};
      return;
    }
    if (id == "zfpy" || id == "pcodec") {       // also turns elements into bytes
      bool const takes_order = id == "pcodec";  // pcodec ignores the shape
      if (are_bytes || type.is_big || (is_reversed && !takes_order))
        throw MetadataError{
            to_text({"codec ", describe(id)}),
            to_text({"member ", member.where(), ": ", describe(id), " of bytes",
                     takes_order ? " or of big-endian elements" : ", of big-endian elements or in order \"F\"",
                     " is not supported"})};
      codecs.push_back(lower_v2_codec(id, codec, type.type.size));
      are_bytes = true;
      type = NumpyType{{DataKind::unsigned_integer, 1}};
      return;
    }
    if (id == "vlen-utf8" || id == "vlen-bytes")
      throw MetadataError{to_text({"filter ", describe(id), " of ", type.type.name()}),
                          to_text({"member ", member.where(), ": ", describe(id),
                                   " is for elements of \"|O\", found \"", write_numpy_type(type), "\""})};
    bool const is_of_elements = is_filter && changes_elements(id);
    if (is_of_elements && are_bytes)
      throw MetadataError{to_text({"filter ", describe(id)}), to_text({"member ", member.where(), ": ", describe(id),
                                                                       " after a filter of bytes is not supported"})};
    if (!is_of_elements) make_bytes();
    auto const size = type.type.size;
    type = is_of_elements ? v2_filtered(id, codec, type) : NumpyType{{DataKind::unsigned_integer, 1}};
    codecs.push_back(lower_v2_codec(id, codec, size));
  };
  if (auto const filters = document.find("filters"); filters && !filters->value().is_null())
    for (std::size_t i = 0, n = filters->list(bounds::codecs - 3, "filters").size(); i < n; ++i)
      add(filters->item(i), true);  // the other 3: transpose, bytes, compressor
  if (auto const compressor = document.find("compressor"); compressor && !compressor->value().is_null())
    add(*compressor, false);
  make_bytes();
  return codecs;
}

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

}  // namespace detail
}}  // namespace tessera::v0
