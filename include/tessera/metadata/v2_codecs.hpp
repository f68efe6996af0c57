// The order, filters and compressor of a Zarr v2 array as a v3 chain of codecs: transpose, filters that change values,
// bytes, filters that change bytes, compressor.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/numpy_type.hpp>
#include <tessera/core/reader.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// Whether a filter of numcodecs changes elements, and not bytes.
[[gnu::cold]] inline bool changes_elements(std::string_view id) {
  for (auto const* one : {"astype", "bitround", "delta", "fixedscaleoffset", "packbits", "quantize"})
    if (id == one) return true;
  return false;
}

// What objects of Python are, as the filter says that makes bytes of them: it is the first one. Throws: MetadataError
// naming it, if they are neither strings nor bytes to it.
[[gnu::cold]] inline NumpyType v2_object_type(ObjectReader& document, MemberValue const& dtype) {
  auto const filters = document.find("filters");
  if (!filters || filters->value().is_null() || filters->list().empty())
    refuse_numpy_type(dtype, "objects of Python, and no filter that says what they are, such as vlen-utf8");
  auto const first = filters->item(0);
  auto const id = ObjectReader{first}.at("id").string();
  if (id == "vlen-utf8") return NumpyType{string_type};
  if (id == "vlen-bytes") return NumpyType{bytes_type};
  throw MetadataError{text({"filter ", describe(id), " of objects"}),
                      text({"member ", first.where(), ": objects of Python in ", describe(id),
                            " are not supported, only those in \"vlen-utf8\" and \"vlen-bytes\""})};
}

// The elements that such a filter makes: it names them in one of two members.
[[gnu::cold]] inline NumpyType v2_filtered(std::string_view id, ObjectReader& filter, NumpyType const& from) {
  if (id == "packbits") return NumpyType{{DataKind::unsigned_integer, 1}};
  if (id == "bitround") return from;
  auto const* const before = id == "astype" ? "decode_dtype" : "dtype";
  auto const* const after = id == "astype" ? "encode_dtype" : "astype";
  auto const decoded = filter.at(before);
  auto const type = read_numpy_type(decoded);
  bool const counts_times = id == "delta" && is_count_of(type.type, from.type);
  if ((type.type != from.type && !counts_times) || type.is_big != from.is_big)
    throw MetadataError{text({"filter ", describe(std::string{id})}),
                        text({"member ", decoded.where(), ": found ", describe(decoded.value()), ", expected \"",
                              write_numpy_type(from), "\", as the elements are that come to it"})};
  auto const encoded = filter.find(after);
  return encoded && !encoded->value().is_null() ? read_numpy_type(*encoded) : type;
}

[[gnu::cold]] inline std::optional<std::int64_t> found_integer(Value const& value) {
  std::int64_t result = 0;
  auto const* const number = value.get_if<Number>();
  return number && parse_integer(number->text, result) ? std::optional{result} : std::nullopt;
}

// 9 for "9", as NCZarr has written levels.
[[gnu::cold]] inline Value without_quotes_of_integers(Value const& found) {
  std::int64_t number = 0;
  auto const* const word = found.get_if<std::string>();
  return word && parse_integer(*word, number) ? Value::integer(number) : found;
}

// The codec of v3 that does what this one of numcodecs does. `size`: bytes of an element that comes to it.
[[gnu::cold]] inline Value lower_v2_codec(std::string const& id, ObjectReader& found, std::size_t size) {
  auto const or_else = [&](char const* member, Value otherwise) {
    auto const value = found.find(member);
    return value ? without_quotes_of_integers(value->value()) : std::move(otherwise);
  };
  if (id == "gzip") {
    auto level = or_else("level", Value::integer(1));
    if (level == Value::integer(-1)) level = Value::integer(6);  // what zlib takes for it; v3 has no such level
    return tessera::to_value({"gzip", Members{{"level", std::move(level)}}});
  }
  if (id == "zstd") {
    auto level = or_else("level", Value::integer(0));
    constexpr long long most = 22;
    if (auto const said = found_integer(level); said && *said > most)
      level = Value::integer(most);  // as numcodecs does
    return tessera::to_value({"zstd", Members{{"level", std::move(level)}, {"checksum", or_else("checksum", false)}}});
  }
  if (id == "blosc") {
    auto shuffle = 1;  // what numcodecs has where the document says nothing
    if (auto const given = found.find("shuffle")) shuffle = given->integer<int>(-1, 2);
    auto const typesize = found.find("typesize");
    if (typesize && !typesize->value().is_null()) size = typesize->integer<std::size_t>(1, 255);
    if (size > 255) size = 1;  // as the library does
    if (shuffle == -1) shuffle = size == 1 ? 2 : 1;
    constexpr char const* names[] = {"noshuffle", "shuffle", "bitshuffle"};
    return tessera::to_value({"blosc", Members{{"typesize", Value::integer(static_cast<long long>(size))},
                                               {"cname", or_else("cname", "lz4")},
                                               {"clevel", or_else("clevel", Value::integer(5))},
                                               {"shuffle", names[shuffle]},
                                               {"blocksize", or_else("blocksize", Value::integer(0))}}});
  }
  Members configuration = *found.value().get_if<Members>();
  std::erase_if(configuration, [](Member const& member) { return member.name == "id"; });
  for (auto& member : configuration) member.value = without_quotes_of_integers(member.value);
  if (id == "crc32c" && or_else("location", "end") == Value{"end"}) return tessera::to_value({"crc32c"});
  return tessera::to_value({"numcodecs." + id, std::move(configuration)});
}

/// Throws: MetadataError naming the member. Whether a program has the codecs is not asked here.
[[gnu::cold]] inline List lower_v2_codecs(ObjectReader& document, NumpyType type, std::size_t rank) {
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
    if (type.type.varies()) {  // it makes bytes of elements, as v2_object_type has seen
      codecs.push_back(tessera::to_value({id}));
      are_bytes = true;
      type = NumpyType{{DataKind::unsigned_integer, 1}};
      return;
    }
    if (id == "zfpy") {  // it makes bytes of elements, too
      if (are_bytes || type.is_big || is_reversed)
        throw MetadataError{"codec \"zfpy\"",
                            text({"member ", member.where(), ": \"zfpy\" of bytes, of big-endian elements or in order "
                                  "\"F\" is not supported"})};
      codecs.push_back(lower_v2_codec(id, codec, type.type.size));
      are_bytes = true;
      type = NumpyType{{DataKind::unsigned_integer, 1}};
      return;
    }
    if (id == "vlen-utf8" || id == "vlen-bytes")
      throw MetadataError{text({"filter ", describe(id), " of ", type.type.name()}),
                          text({"member ", member.where(), ": ", describe(id), " is for elements of \"|O\", found \"",
                                write_numpy_type(type), "\""})};
    bool const is_of_elements = is_filter && changes_elements(id);
    if (is_of_elements && are_bytes)
      throw MetadataError{text({"filter ", describe(id)}), text({"member ", member.where(), ": ", describe(id),
                                                                 " behind a filter of bytes is not supported"})};
    if (!is_of_elements) make_bytes();
    auto const size = type.type.size;
    type = is_of_elements ? v2_filtered(id, codec, type) : NumpyType{{DataKind::unsigned_integer, 1}};
    codecs.push_back(lower_v2_codec(id, codec, size));
  };
  if (auto const filters = document.find("filters"); filters && !filters->value().is_null())
    for (std::size_t i = 0; i < filters->list().size(); ++i) add(filters->item(i), true);
  if (auto const compressor = document.find("compressor"); compressor && !compressor->value().is_null())
    add(*compressor, false);
  make_bytes();
  return codecs;
}

}  // namespace detail
}}  // namespace tessera::v0
