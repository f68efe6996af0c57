// nlohmann_json's values in place of a document's: attributes are given and read as nlohmann::ordered_json, or as json,
// which sorts members by name. Needs nlohmann_json 3 (MIT): link tessera::nlohmann_json.
//
// Numbers: a double becomes the shortest decimal that reads back as the same. NaN and infinities become the words that
// zarr-python writes, and read back as doubles, which nlohmann's dump() shows as null. Integers beyond 64 bits read as
// the nearest double, as in nlohmann; a number beyond a double's range is refused. To keep the digits of such
// attributes, merge new members into them instead of writing back the attributes read.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>
#include <tessera/metadata/json.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class Json>
struct JsonTraits {
  /// Throws: MetadataError, if the value is nested too deep for a document, or has binary values, which JSON lacks.
  static Value to_value(Json const& json, std::size_t depth = 0) {
    if (depth > bounds::nesting) throw MetadataError{to_text({"nested deeper than ", bounds::nesting, " levels"})};
    switch (json.type()) {
      case Json::value_t::null:
        return {};
      case Json::value_t::boolean:
        return json.template get<bool>();
      case Json::value_t::number_integer:
        return json.template get<std::int64_t>();
      case Json::value_t::number_unsigned:
        return json.template get<std::uint64_t>();
      case Json::value_t::number_float:
        return json.template get<double>();
      case Json::value_t::string:
        return json.template get<std::string>();
      case Json::value_t::array: {
        List list;
        for (auto const& item : json) list.push_back(to_value(item, depth + 1));
        return list;
      }
      case Json::value_t::object: {
        Members members;
        for (auto const& [name, value] : json.items()) members.push_back({name, to_value(value, depth + 1)});
        return members;
      }
      default:
        throw MetadataError{"found a binary value, or one that nlohmann_json discarded, expected a JSON value"};
    }
  }

  /// Throws: MetadataError, if a number is beyond a double's range, or a member appears twice.
  static Json from_value(Value const& value) {
    if (auto* b = value.get_if<bool>()) return *b;
    if (auto* n = value.get_if<Number>()) {
      if (std::uint64_t integer{}; parse_integer(n->text, integer)) return integer;
      if (std::int64_t integer{}; parse_integer(n->text, integer)) return integer;
      return value.as<double>();
    }
    if (auto* s = value.get_if<std::string>()) return *s;
    if (auto* list = value.get_if<List>()) {
      auto json = Json::array();
      for (auto const& item : *list) json.push_back(from_value(item));
      return json;
    }
    if (auto* members = value.get_if<Members>()) {
      typename Json::object_t object;
      for (auto const& [name, member] : *members)
        if (!object.emplace(name, from_value(member)).second)
          throw MetadataError{to_text({"member ", describe(name), " is there twice"})};
      return object;
    }
    return nullptr;
  }
};

template <class Json>
concept NlohmannJson = std::derived_from<value_traits<Json>, JsonTraits<Json>>;

}  // namespace detail

template <>
struct value_traits<nlohmann::json> : detail::JsonTraits<nlohmann::json> {};
template <>
struct value_traits<nlohmann::ordered_json> : detail::JsonTraits<nlohmann::ordered_json> {};

/// `nlohmann::ordered_json const attributes = array.attributes();`
template <detail::NlohmannJson Json, class T>
requires(std::same_as<T, Value> || std::same_as<T, Members>) void to_json(Json& json, T const& value) {
  json = value.template as<Json>();
}

}}  // namespace tessera::v0
