// A Value as JSON text, with numbers as they were written.
#pragma once
#include <string>

#include <nlohmann/json.hpp>

#include <tessera/core/value.hpp>

namespace cli {

inline std::string quoted(std::string const& text) {
  using Json = nlohmann::json;  // names of files need not be UTF-8
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Objects and lists of objects one member a line; short things stay short.
inline std::string json_text(tessera::Value const& value, std::string const& indent = "") {
  if (value.is_null()) return "null";
  if (auto* b = value.get_if<bool>()) return *b ? "true" : "false";
  if (auto* number = value.get_if<tessera::Number>()) return number->text;
  if (auto* text = value.get_if<std::string>()) return quoted(*text);
  auto const deeper = indent + "  ";
  std::string result;
  if (auto* list = value.get_if<tessera::List>()) {
    bool const long_items = !list->empty() && list->front().get_if<tessera::Members>();
    for (auto const& item : *list)
      result += (result.empty() ? ""
                 : long_items   ? ","
                                : ", ") +
                (long_items ? '\n' + deeper : "") + json_text(item, deeper);
    return '[' + result + (long_items ? '\n' + indent + ']' : "]");
  }
  for (auto const& [name, member] : *value.get_if<tessera::Members>())
    result += (result.empty() ? "\n" : ",\n") + deeper + quoted(name) + ": " + json_text(member, deeper);
  return '{' + result + (result.empty() ? "}" : '\n' + indent + '}');
}

}  // namespace cli
