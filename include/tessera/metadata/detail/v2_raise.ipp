#pragma once
#include <tessera/metadata/detail/v2_raise.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/codec/detail/aliases.hpp>
#include <tessera/codec/detail/numcodecs.hpp>
#include <tessera/core/detail/numpy_type.hpp>
#include <tessera/metadata/detail/v2_array.hpp>
#include <tessera/metadata/detail/v2_fill.hpp>
#include <tessera/metadata/documents.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Always a filter, never a compressor.
[[gnu::cold]] TESSERA_DECL bool makes_bytes_of_objects(Specification const& codec) {
  auto const name = usual_name(codec.name);
  return name == "vlen-utf8" || name == "vlen-bytes";
}

// The numcodecs equivalent of a v3 codec. Throws: MetadataError, if none exists.
[[gnu::cold]] TESSERA_DECL Value raise_v2_codec(Specification const& given) {
  constexpr std::string_view prefix = "numcodecs.";
  auto const codec = in_usual_words(given);
  auto const& name = codec.name;
  bool const is_of_numcodecs = name.starts_with(prefix);
  Members result{{"id", is_of_numcodecs ? name.substr(prefix.size()) : name}};
  auto const* const configuration = codec.configuration.get_if<Members>();
  if (name == "blosc") {
    auto const& shuffle = configuration->at("shuffle");
    auto const number = shuffle == Value{"noshuffle"} ? 0 : shuffle == Value{"shuffle"} ? 1 : 2;
    for (std::string_view const member : {"cname", "clevel", "shuffle", "blocksize"})
      result.push_back({std::string{member}, member == "shuffle" ? Value::integer(number) : configuration->at(member)});
  } else if (makes_bytes_of_objects(codec)) {
    return result;
  } else if (is_of_numcodecs || name == "bitround" || name == "gzip" || name == "zstd" || name == "crc32c") {
    if (configuration)
      for (auto const& member : *configuration)
        if (name != "zstd" || member.name != "checksum" || member.value != Value{false}) result.push_back(member);
  } else {
    throw MetadataError{to_text({"codec ", describe(given.name)}),
                        to_text({"Zarr v2 has no codec ", describe(given.name), "; create the array in Zarr v3"})};
  }
  return result;
}

[[gnu::cold]] TESSERA_DECL bool is_reversal(Specification const& transpose, std::size_t rank) {
  List reversed;
  for (auto d = rank; d-- > 0;) reversed.push_back(Value::integer(static_cast<long long>(d)));
  auto const* const configuration = transpose.configuration.get_if<Members>();
  return configuration && configuration->contains("order") && configuration->at("order") == Value{reversed};
}

// The byte order of the elements, named by filters that change them; stored bytes may have another.
[[gnu::cold]] TESSERA_DECL bool is_big_before(Specification const& filter, bool otherwise) {
  auto const* const configuration = filter.configuration.get_if<Members>();
  for (auto const* member : {"decode_dtype", "dtype"})
    if (configuration && configuration->contains(member)) {
      auto const& type = configuration->at(member);
      return type.get_if<std::string>() && type.get_if<std::string>()->starts_with('>');
    }
  return otherwise;
}

TESSERA_DECL Value raise_v2_array(ArrayMetadata const& array) {
  if (!array.edges.empty())
    throw MetadataError{"chunk grid \"rectilinear\"", "Zarr v2 has no chunk grid \"rectilinear\""};
  bool is_reversed = false, is_big = false, are_bytes = false;
  List codecs;
  for (auto const& codec : array.codecs) {
    auto const name = usual_name(codec.name);
    if (name == "transpose") {
      if (is_reversed || !codecs.empty() || are_bytes || !is_reversal(codec, array.shape.rank()))
        throw MetadataError{"codec \"transpose\"",
                            "Zarr v2 has only the transpose of order \"F\", which reverses all dimensions, before all "
                            "filters"};
      is_reversed = true;
    } else if (name == "bytes") {
      auto const* const configuration = codec.configuration.get_if<Members>();
      is_big = configuration && configuration->contains("endian") && configuration->at("endian") == Value{"big"};
      are_bytes = true;
    } else {
      if (name == "numcodecs.zfpy" && is_reversed)
        throw MetadataError{"codec \"numcodecs.zfpy\"", "Zarr v2 has zfpy in order \"C\" only"};
      codecs.push_back(raise_v2_codec(codec));
    }
  }
  for (auto i = array.codecs.size(); i-- > 0;) is_big = is_big_before(array.codecs[i], is_big);
  Value compressor;
  auto const is_filter = [](Specification const& last) {  // even as the last codec
    auto const name = usual_name(last.name);
    return name == "bytes" || name == "numcodecs.shuffle" || makes_bytes_of_objects(last);
  };
  if (!codecs.empty() && !is_filter(array.codecs.back())) {
    compressor = std::move(codecs.back());
    codecs.pop_back();
  }
  return Members{
      {"shape", to_value(array.shape)},
      {"chunks", to_value(array.chunk_shape)},
      {"dtype", numpy_type_value({array.type, is_big, array.fields})},
      {"fill_value", array.has_no_fill ? Value{} : raise_v2_fill(array.fill, {array.type, is_big, array.fields})},
      {"order", is_reversed ? "F" : "C"},
      {"filters", codecs.empty() ? Value{} : Value{std::move(codecs)}},
      {"dimension_separator", std::string{array.key_encoding.separator}},
      {"compressor", std::move(compressor)},
      {"zarr_format", Value::integer(2)}};
}

TESSERA_DECL Members raise_v2_attributes(ArrayMetadata const& array) {
  expect_attributes(array.broken_attributes);
  auto attributes = array.attributes;
  if (!array.dimension_names.empty() && !attributes.contains(v2_dimension_names)) {
    List names;
    for (auto const& name : array.dimension_names) names.push_back(name ? Value{*name} : Value{});
    attributes.push_back({std::string{v2_dimension_names}, std::move(names)});
  }
  return attributes;
}

}}}  // namespace tessera::v0::detail
