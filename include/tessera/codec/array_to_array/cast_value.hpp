// cast_value: elements as numbers of another type, rounded as the document says (zarr-extensions, codecs/cast_value).
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/codec/cast_numbers.hpp>
#include <tessera/codec/elementwise.hpp>
#include <tessera/codec/json_number.hpp>
#include <tessera/codec/numbers.hpp>
#include <tessera/core/data_type_named.hpp>

namespace tessera { inline namespace v0 {
namespace codec {

/// Configuration: `data_type` of what is stored, one of numbers; `rounding`, to the nearest and of two to the even one
/// where it is not there; `out_of_range`, "clamp" or "wrap", an error where it is not there; `scalar_map`, of which
/// number in particular becomes which, at most 16 each way.
struct CastValue : detail::Elementwise<CastValue> {
  static constexpr std::string_view name = "cast_value";

  struct Pair {
    detail::JsonNumber from, to;
  };

  DataType data_type;
  detail::Rounding rounding = detail::Rounding::nearest_even;
  detail::OutOfType out_of_range = detail::OutOfType::refuse;
  std::vector<Pair> encoding{}, decoding{};

  static CastValue from(ObjectReader& configuration) {
    CastValue codec;
    auto const found = configuration.at("data_type");
    auto const type = data_type_named(specification(found).name);
    if (!type || !detail::holds_numbers(*type)) found.refuse("a type of integers of 8 to 64 bits, float16, 32 or 64");
    codec.data_type = *type;
    if (auto const how = configuration.find("rounding"))
      for (std::size_t i = 0; i < std::size(roundings); ++i)
        if (how->one_of({"nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"}) ==
            roundings[i])
          codec.rounding = static_cast<detail::Rounding>(i);
    if (auto const what = configuration.find("out_of_range")) {
      codec.out_of_range =
          what->one_of({"clamp", "wrap"}) == "wrap" ? detail::OutOfType::wrap : detail::OutOfType::clamp;
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
  Value configuration() const {
    Members members{{"data_type", data_type.name()}, {"rounding", roundings[static_cast<std::size_t>(rounding)]}};
    if (out_of_range != detail::OutOfType::refuse)
      members.push_back({"out_of_range", out_of_range == detail::OutOfType::wrap ? "wrap" : "clamp"});
    Members map;
    if (!encoding.empty()) map.push_back({"encode", list_of(encoding)});
    if (!decoding.empty()) map.push_back({"decode", list_of(decoding)});
    if (!map.empty()) members.push_back({"scalar_map", std::move(map)});
    return members;
  }

  DataType encoded_type(DataType) const { return data_type; }
  /// Throws: MetadataError, if the fill value does not come back.
  ChunkSpecification encoded(ChunkSpecification chunk) const {
    if (!detail::holds_numbers(chunk.type))
      throw MetadataError{text({"found elements of ", chunk.type.name(), ", which it does not take"})};
    encoder(chunk), decoder(chunk);  // which look at the map
    try {
      auto const before = chunk.fill;
      chunk.fill = detail::encoded_fill(*this, chunk, data_type);
      if (before.size() == chunk.type.size && decoded_fill(chunk) != before) throw CodecError{"it is rounded"};
    } catch (CodecError const&) {
      throw MetadataError{text({"the fill value does not come back from ", data_type.name()})};
    }
    chunk.type = data_type;
    return chunk;
  }
  detail::CastNumbers decoder(ChunkSpecification const& chunk) const {
    return {data_type, chunk.type, rounding, out_of_range, mapped("decode", decoding, data_type, chunk.type)};
  }
  detail::CastNumbers encoder(ChunkSpecification const& chunk) const {
    return {chunk.type, data_type, rounding, out_of_range, mapped("encode", encoding, chunk.type, data_type)};
  }

 private:
  static constexpr char const* roundings[]{"nearest-even", "towards-zero", "towards-positive", "towards-negative",
                                           "nearest-away"};

  std::vector<std::byte> decoded_fill(ChunkSpecification const& chunk) const {
    std::vector<std::byte> fill(chunk.type.size);
    Queue<space::Host> on;
    decode(chunk, {chunk.fill.data(), chunk.fill.size()}, {fill.data(), fill.size()}, on);
    return fill;
  }
  static std::vector<Pair> pairs_of(MemberValue const& found) {
    std::vector<Pair> pairs;
    if (found.list().size() > detail::CastMap::most) found.refuse(text({"at most ", detail::CastMap::most, " pairs"}));
    for (std::size_t i = 0; i < found.list().size(); ++i) {
      auto const pair = found.item(i);
      if (pair.list().size() != 2) pair.refuse("a list of two numbers");
      pairs.push_back({detail::JsonNumber::from(pair.item(0)), detail::JsonNumber::from(pair.item(1))});
    }
    return pairs;
  }
  static Value list_of(std::vector<Pair> const& pairs) {
    List list;
    for (auto const& [from, to] : pairs) list.push_back(Value{List{from.given, to.given}});
    return list;
  }
  static detail::CastMap mapped(char const* way, std::vector<Pair> const& pairs, DataType from, DataType to) {
    detail::CastMap map;
    for (auto const& pair : pairs)
      for (auto const& [number, type] : {std::pair{&pair.from, from}, std::pair{&pair.to, to}})
        if (detail::holds_integers(type) && !number->fits(type))
          throw MetadataError{text({"member configuration.scalar_map.", way, ": found ", describe(number->given),
                                    ", expected a number of ", type.name()})};
    for (auto const& pair : pairs)
      map.pairs[map.count++] = {detail::rounded_as(from, pair.from.number), detail::rounded_as(to, pair.to.number),
                                pair.from.integer, pair.to.integer};
    return map;
  }
};

}  // namespace codec
}}  // namespace tessera::v0
