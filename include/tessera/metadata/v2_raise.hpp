// The documents of a Zarr v2 array, from what v3 says of it: the way back from metadata/v2_array.hpp.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/codec/aliases.hpp>
#include <tessera/core/numpy_type.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/v2_array.hpp>
#include <tessera/metadata/v2_fill.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// A filter, and never a compressor.
[[gnu::cold]] inline bool makes_bytes_of_objects(Specification const& codec) {
  return codec.name == "vlen-utf8" || codec.name == "vlen-bytes";
}

// The codec of numcodecs that does what this one of v3 does. Throws: MetadataError, if there is none.
[[gnu::cold]] inline Value raise_v2_codec(Specification const& codec) {
  constexpr std::string_view prefix = "numcodecs.";
  std::string const name{usual_name(codec.name)};
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
    throw MetadataError{text({"codec ", describe(codec.name)}),
                        text({"Zarr v2 has no codec ", describe(codec.name), "; create the array in Zarr v3"})};
  }
  return result;
}

[[gnu::cold]] inline bool is_reversal(Specification const& transpose, std::size_t rank) {
  List reversed;
  for (auto d = rank; d-- > 0;) reversed.push_back(Value::integer(static_cast<long long>(d)));
  auto const* const configuration = transpose.configuration.get_if<Members>();
  return configuration && configuration->contains("order") && configuration->at("order") == Value{reversed};
}

// The byte order of the elements: filters that change them name it, and that of what is stored may be another.
[[gnu::cold]] inline bool is_big_before(Specification const& filter, bool otherwise) {
  auto const* const configuration = filter.configuration.get_if<Members>();
  for (auto const* member : {"decode_dtype", "dtype"})
    if (configuration && configuration->contains(member)) {
      auto const& type = configuration->at(member);
      return type.get_if<std::string>() && type.get_if<std::string>()->starts_with('>');
    }
  return otherwise;
}

/// `.zarray`, member for member as zarr-python writes it. Throws: MetadataError, if Zarr v2 has no words for the array.
[[gnu::cold]] inline Value raise_v2_array(ArrayMetadata const& array) {
  if (!array.edges.empty())
    throw MetadataError{"chunk grid \"rectilinear\"", "Zarr v2 has no chunk grid \"rectilinear\""};
  bool is_reversed = false, is_big = false, are_bytes = false;
  List codecs;
  for (auto const& codec : array.codecs) {
    if (codec.name == "transpose") {
      if (is_reversed || !codecs.empty() || are_bytes || !is_reversal(codec, array.shape.rank()))
        throw MetadataError{
            "codec \"transpose\"",
            "Zarr v2 has no transpose but that of order \"F\", which reverses all dimensions, before all "
            "filters"};
      is_reversed = true;
    } else if (codec.name == "bytes") {
      auto const* const configuration = codec.configuration.get_if<Members>();
      is_big = configuration && configuration->contains("endian") && configuration->at("endian") == Value{"big"};
      are_bytes = true;
    } else {
      if (codec.name == "numcodecs.zfpy" && is_reversed)
        throw MetadataError{"codec \"numcodecs.zfpy\"", "Zarr v2 has zfpy in order \"C\" alone"};
      codecs.push_back(raise_v2_codec(codec));
    }
  }
  for (auto i = array.codecs.size(); i-- > 0;) is_big = is_big_before(array.codecs[i], is_big);
  Value compressor;
  auto const is_filter = [](Specification const& last) {  // if it is for a compressor behind it
    return last.name == "bytes" || last.name == "numcodecs.shuffle" || makes_bytes_of_objects(last);
  };
  if (!codecs.empty() && !is_filter(array.codecs.back())) {
    compressor = std::move(codecs.back());
    codecs.pop_back();
  }
  return Members{{"shape", to_value(array.shape)},
                 {"chunks", to_value(array.chunk_shape)},
                 {"dtype", numpy_type_value({array.type, is_big, array.fields})},
                 {"fill_value", raise_v2_fill(array.fill, {array.type, is_big, array.fields})},
                 {"order", is_reversed ? "F" : "C"},
                 {"filters", codecs.empty() ? Value{} : Value{std::move(codecs)}},
                 {"dimension_separator", std::string{array.key_encoding.separator}},
                 {"compressor", std::move(compressor)},
                 {"zarr_format", Value::integer(2)}};
}

/// `.zattrs`. Names of dimensions are where xarray has them.
[[gnu::cold]] inline Members raise_v2_attributes(ArrayMetadata const& array) {
  auto attributes = array.attributes;
  if (!array.dimension_names.empty() && !attributes.contains(v2_dimension_names)) {
    List names;
    for (auto const& name : array.dimension_names) names.push_back(name ? Value{*name} : Value{});
    attributes.push_back({std::string{v2_dimension_names}, std::move(names)});
  }
  return attributes;
}

}  // namespace detail
}}  // namespace tessera::v0
