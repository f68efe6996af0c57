// The schema of docs/ipc.md, and whether JSON matches it: the part of JSON Schema that it uses.
#pragma once
#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <tessera/core/value.hpp>
#include <tessera/metadata/json.hpp>

namespace test {

inline tessera::Value ipc_schema() {
  std::ifstream page{"docs/ipc.md"};
  std::stringstream text;
  text << page.rdbuf();
  auto const whole = text.str(), fence = std::string{"```json\n"};
  auto const begin = whole.find(fence);
  if (begin == whole.npos) throw std::runtime_error{"docs/ipc.md has no schema"};
  auto const end = whole.find("\n```", begin);
  return tessera::parse_json(std::string_view{whole}.substr(begin + fence.size(), end - begin - fence.size()));
}

inline bool is_of_type(tessera::Value const& value, std::string const& type) {
  using namespace tessera;
  if (type == "object") return value.get_if<Members>() != nullptr;
  if (type == "array") return value.get_if<List>() != nullptr;
  if (type == "string") return value.get_if<std::string>() != nullptr;
  auto const* const number = value.get_if<Number>();
  if (type == "integer") return number && number->text.find_first_of(".eE") == std::string::npos;
  throw std::runtime_error{"the schema has the type " + type};
}

inline bool fits(tessera::Value const& value, tessera::Value const& schema, tessera::Value const& whole) {
  using namespace tessera;
  auto const& rules = *schema.get_if<Members>();
  for (auto const& rule : rules) {
    auto const* const members = value.get_if<Members>();
    auto const* const list = value.get_if<List>();
    if (rule.name == "$ref") {
      auto const name = rule.value.as<std::string>().substr(std::string{"#/$defs/"}.size());
      if (!fits(value, whole.at("$defs").at(name), whole)) return false;
    } else if (rule.name == "type") {
      if (!is_of_type(value, rule.value.as<std::string>())) return false;
    } else if (rule.name == "enum") {
      auto const& choices = *rule.value.get_if<List>();
      if (std::find(choices.begin(), choices.end(), value) == choices.end()) return false;
    } else if (rule.name == "anyOf") {
      auto const& choices = *rule.value.get_if<List>();
      if (std::none_of(choices.begin(), choices.end(), [&](auto const& one) { return fits(value, one, whole); }))
        return false;
    } else if (rule.name == "items" && list) {
      for (auto const& item : *list)
        if (!fits(item, rule.value, whole)) return false;
    } else if (rule.name == "required" && members) {
      for (auto const& name : rule.value.as<std::vector<std::string>>())
        if (!members->contains(name)) return false;
    } else if (rule.name == "properties" && members) {
      for (auto const& property : *rule.value.get_if<Members>())
        if (auto const* const found = members->find(property.name); found && !fits(*found, property.value, whole))
          return false;
    } else if (rule.name == "additionalProperties" && members) {
      for (auto const& member : *members)
        if (!schema.at("properties").get_if<Members>()->contains(member.name)) return false;
    } else if (rule.name != "$defs" && rule.name != "items" && rule.name != "required" && rule.name != "properties" &&
               rule.name != "additionalProperties") {
      throw std::runtime_error{"the schema has the rule " + rule.name};
    }
  }
  return true;
}

}  // namespace test
