// nlohmann_json as the oracle of metadata/json.hpp: the same verdict on every text and the same values, with the
// exceptions listed here.
#pragma once
#include <cmath>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <tessera/metadata/json.hpp>
#include <tessera/with/nlohmann_json.hpp>

namespace test {

// Whether nlohmann_json refuses a number: a word of Python's, or beyond a double's range.
inline bool has_exceptional_number(tessera::Value const& value) {
  if (auto* number = value.get_if<tessera::Number>())
    return !std::isfinite(tessera::detail::parse_decimal<double>(number->text));
  if (auto* list = value.get_if<tessera::List>())
    for (auto const& item : *list)
      if (has_exceptional_number(item)) return true;
  if (auto* members = value.get_if<tessera::Members>())
    for (auto const& member : *members)
      if (has_exceptional_number(member.value)) return true;
  return false;
}

/// The disagreement of the two; empty, if there is none. The exceptions: NaN, Infinity, -Infinity and numbers beyond a
/// double's range, which tessera keeps; a duplicate member, a document of too many levels or values, and a NUL after
/// the text, which tessera refuses.
inline std::string json_disagreement(std::string_view text) {
  using nlohmann::ordered_json;
  auto const expected = ordered_json::parse(text, nullptr, false);
  tessera::Value found;
  try {
    found = tessera::parse_json(text);
  } catch (tessera::MetadataError const& error) {
    std::string_view const why = error.what();
    for (auto* exception : {"is there twice", "nested deeper than", "values in one document"})
      if (why.find(exception) != why.npos) return "";
    if (text.find('\0') != text.npos) return "";  // the end, to nlohmann
    return expected.is_discarded() ? "" : "tessera refuses it: " + std::string{why};
  }
  if (has_exceptional_number(found))
    return expected.is_discarded() ? "" : "tessera sees a number that nlohmann does not";
  if (expected.is_discarded()) return "tessera takes it";
  auto const as_json = found.as<ordered_json>();
  if (as_json != expected || as_json.dump() != expected.dump()) return "tessera reads " + as_json.dump();
  auto const again = tessera::to_json(found);
  if (ordered_json::parse(again, nullptr, false).dump() != expected.dump()) return "tessera writes " + again;
  return "";
}

}  // namespace test
