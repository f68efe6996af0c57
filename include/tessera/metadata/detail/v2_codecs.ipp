#pragma once
#include <tessera/metadata/detail/v2_codecs.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/codec/detail/numcodecs.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/detail/numpy_type.hpp>
#include <tessera/core/object_reader.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// Whether a numcodecs filter changes elements rather than bytes.
[[gnu::cold]] TESSERA_DECL bool changes_elements(std::string_view id) {
  for (auto const* one : {"astype", "bitround", "delta", "fixedscaleoffset", "packbits", "quantize"})
    if (id == one) return true;
  return false;
}

TESSERA_DECL NumpyType v2_object_type(ObjectReader& document, MemberValue const& dtype) {
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
  if (auto const lowered = lower_numcodecs(id, found, size)) return tessera::to_value(*lowered);
  Members configuration = *found.value().get_if<Members>();
  std::erase_if(configuration, [](Member const& member) { return member.name == "id"; });
  for (auto& member : configuration) member.value = without_quotes_of_integers(member.value);
  return tessera::to_value({"numcodecs." + id, std::move(configuration)});
}

TESSERA_DECL List lower_v2_codecs(ObjectReader& document, NumpyType type, std::size_t rank) {
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

}}}  // namespace tessera::v0::detail
