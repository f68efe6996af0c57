#pragma once
#include <tessera/codec/array_to_array/cast_value.hpp>

#include <cstddef>
#include <vector>

#include <tessera/codec/detail/cast_numbers.hpp>
#include <tessera/codec/detail/elementwise.hpp>
#include <tessera/codec/detail/json_number.hpp>
#include <tessera/codec/detail/number_type.hpp>
#include <tessera/codec/detail/numbers.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/bounds.hpp>

namespace tessera { inline namespace v0 { namespace codec {

TESSERA_DECL CastValue CastValue::from(ObjectReader& configuration) {
  CastValue codec;
  auto const found = configuration.at("data_type");
  auto const type = data_type_named(specification(found).name);
  if (!type || !detail::holds_numbers(*type))
    found.refuse("an integer type of 8 to 64 bits, float16, float32 or float64");
  codec.data_type = *type;
  if (auto const how = configuration.find("rounding"))
    for (std::size_t i = 0; i < std::size(roundings); ++i)
      if (how->one_of({"nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"}) ==
          roundings[i])
        codec.rounding = static_cast<detail::Rounding>(i);
  if (auto const what = configuration.find("out_of_range")) {
    codec.out_of_range = what->one_of({"clamp", "wrap"}) == "wrap" ? detail::OutOfType::wrap : detail::OutOfType::clamp;
    if (codec.out_of_range == detail::OutOfType::wrap && !detail::holds_integers(codec.data_type))
      what->refuse("\"clamp\": fractions do not wrap around");
  }
  if (auto const maps = configuration.find("scalar_map")) {
    ObjectReader map{*maps};
    for (auto const* way : {"encode", "decode"})
      if (auto const pairs = map.find(way)) (*way == 'e' ? codec.encoding : codec.decoding) = pairs_of(*pairs);
    map.finish();
  }
  return codec;
}

TESSERA_DECL Value CastValue::configuration() const {
  Members members{{"data_type", data_type.name()}, {"rounding", roundings[static_cast<std::size_t>(rounding)]}};
  if (out_of_range != detail::OutOfType::refuse)
    members.push_back({"out_of_range", out_of_range == detail::OutOfType::wrap ? "wrap" : "clamp"});
  Members map;
  if (!encoding.empty()) map.push_back({"encode", list_of(encoding)});
  if (!decoding.empty()) map.push_back({"decode", list_of(decoding)});
  if (!map.empty()) members.push_back({"scalar_map", std::move(map)});
  return members;
}

TESSERA_DECL ChunkSpecification CastValue::encoded(ChunkSpecification chunk) const {
  if (!detail::holds_numbers(chunk.type))
    throw MetadataError{to_text({"found elements of ", chunk.type.name(), ", which this codec does not support"})};
  encoder(chunk), decoder(chunk);  // they check the map
  try {
    auto const before = chunk.fill;
    chunk.fill = detail::encoded_fill(*this, chunk, data_type);
    if (before.size() == chunk.type.size && decoded_fill(chunk) != before) throw CodecError{"it is rounded"};
  } catch (CodecError const&) {
    throw MetadataError{to_text({"the fill value is not preserved by a conversion to and from ", data_type.name()})};
  }
  chunk.type = data_type;
  return chunk;
}

TESSERA_DECL detail::CastNumbers CastValue::decoder(ChunkSpecification const& chunk) const {
  return {data_type, chunk.type, rounding, out_of_range, mapped("decode", decoding, data_type, chunk.type)};
}

TESSERA_DECL detail::CastNumbers CastValue::encoder(ChunkSpecification const& chunk) const {
  return {chunk.type, data_type, rounding, out_of_range, mapped("encode", encoding, chunk.type, data_type)};
}

TESSERA_DECL std::vector<std::byte> CastValue::decoded_fill(ChunkSpecification const& chunk) const {
  std::vector<std::byte> fill(chunk.type.size);
  Queue<space::Host> on;
  decode(chunk, {chunk.fill.data(), chunk.fill.size()}, {fill.data(), fill.size()}, on);
  return fill;
}

TESSERA_DECL std::vector<CastValue::Pair> CastValue::pairs_of(MemberValue const& found) {
  std::vector<Pair> pairs;
  (void)found.list(bounds::map_pairs, "pairs");
  for (std::size_t i = 0; i < found.list().size(); ++i) {
    auto const pair = found.item(i);
    if (pair.list().size() != 2) pair.refuse("a list of two numbers");
    pairs.push_back({detail::JsonNumber::from(pair.item(0)), detail::JsonNumber::from(pair.item(1))});
  }
  return pairs;
}

TESSERA_DECL Value CastValue::list_of(std::vector<Pair> const& pairs) {
  List list;
  for (auto const& [from, to] : pairs) list.push_back(Value{List{from.given, to.given}});
  return list;
}

TESSERA_DECL detail::CastMap CastValue::mapped(char const* way, std::vector<Pair> const& pairs, DataType from,
                                               DataType to) {
  detail::CastMap map;
  for (auto const& pair : pairs)
    for (auto const& [number, type] : {std::pair{&pair.from, from}, std::pair{&pair.to, to}})
      if (detail::holds_integers(type) && !number->fits(type))
        throw MetadataError{to_text({"member configuration.scalar_map.", way, ": found ", describe(number->given),
                                     ", expected a value of type ", type.name()})};
  for (auto const& pair : pairs)
    map.pairs[map.count++] = {detail::rounded_as(from, pair.from.number), detail::rounded_as(to, pair.to.number),
                              pair.from.integer, pair.to.integer};
  return map;
}

TESSERA_DECL AsType AsType::from(ObjectReader& configuration) {
  AsType codec;
  codec.encode_dtype = detail::read_number_type(configuration.at("encode_dtype"));
  codec.decode_dtype = detail::find_number_type(configuration, "decode_dtype");
  return codec;
}

TESSERA_DECL Value AsType::configuration() const {
  Members members{{"encode_dtype", detail::write_numpy_type(encode_dtype)}};
  if (decode_dtype) members.push_back({"decode_dtype", detail::write_numpy_type(*decode_dtype)});
  return members;
}

TESSERA_DECL AsType AsType::fitted(ChunkSpecification const& chunk) const {
  auto fitted = *this;
  if (!fitted.decode_dtype) fitted.decode_dtype = detail::NumpyType{chunk.type};
  return fitted;
}

TESSERA_DECL ChunkSpecification AsType::encoded(ChunkSpecification chunk) const {
  detail::expect_number_type("decode_dtype", decode_dtype, chunk.type);
  chunk.fill = detail::encoded_fill(*this, chunk, encode_dtype.type);
  chunk.type = encode_dtype.type;
  return chunk;
}

TESSERA_DECL detail::ConvertNumbers AsType::decoder(ChunkSpecification const& chunk) const {
  return {encode_dtype.type, chunk.type};
}

TESSERA_DECL detail::ConvertNumbers AsType::encoder(ChunkSpecification const& chunk) const {
  return {chunk.type, encode_dtype.type};
}

}}}  // namespace tessera::v0::codec
