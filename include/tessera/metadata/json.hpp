// JSON text to a Value and back: the only place that knows JSON. Parsing does not recurse, numbers keep their text.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>

namespace tessera::inline v0 {
namespace detail {

// What nlohmann's parser calls. False stops it.
class JsonBuilder {
  using Json = nlohmann::json;

 public:
  static constexpr std::size_t max_depth = 256;

  bool null() { return add({}); }
  bool boolean(bool b) { return add(b); }
  bool number_integer(Json::number_integer_t n) {  // with a sign, so 0 was "-0"
    return add(Number{n == 0 ? "-0" : std::to_string(n)});
  }
  bool number_unsigned(Json::number_unsigned_t n) { return add(Number{std::to_string(n)}); }
  bool number_float(Json::number_float_t, std::string text) {
    // The parser writes the point as the program's locale does.
    auto const point = text.find_first_not_of("0123456789+-eE");
    if (point != text.npos) text[point] = '.';
    return add(Number{std::move(text)});
  }
  bool string(std::string& s) { return add(std::move(s)); }
  bool binary(Json::binary_t&) { return fail("binary data"); }
  bool start_array(std::size_t) { return open(List{}); }
  bool end_array() { return close(); }
  bool start_object(std::size_t) { return open(Members{}); }
  bool end_object() {
    std::vector<std::string_view> names;
    for (auto const& member : *open_.back()->get_if<Members>()) names.push_back(member.name);
    std::sort(names.begin(), names.end());
    auto const twice = std::adjacent_find(names.begin(), names.end());
    return twice == names.end() ? close() : fail("member " + describe(std::string{*twice}) + " is there twice");
  }
  bool key(std::string& name) {
    open_.back()->get_if<Members>()->push_back({std::move(name), {}});
    return true;
  }
  bool parse_error(std::size_t at, std::string const&, nlohmann::detail::exception const&) {
    return fail("not JSON, at byte " + std::to_string(at));
  }

  Value root;
  std::string problem;

 private:
  bool fail(std::string text) { return problem = std::move(text), false; }

  Value* put(Value value) {
    if (open_.empty()) return &(root = std::move(value));
    if (auto* list = open_.back()->get_if<List>()) return &list->emplace_back(std::move(value));
    return &(open_.back()->get_if<Members>()->back().value = std::move(value));
  }
  bool add(Value value) { return put(std::move(value)), true; }
  bool open(Value value) {
    if (open_.size() == max_depth) return fail("nested deeper than " + std::to_string(max_depth) + " levels");
    open_.push_back(put(std::move(value)));  // stays where it is: its parent does not grow while it is open
    return true;
  }
  bool close() { return open_.pop_back(), true; }

  std::vector<Value*> open_;
};

}  // namespace detail

/// Throws: MetadataError, if it is not one JSON value (RFC 8259), names a member twice or nests too deep.
inline Value parse_json(std::string_view text) {
  detail::JsonBuilder builder;
  if (text.starts_with("\xef\xbb\xbf")) throw MetadataError{"not JSON: it begins with a byte order mark"};
  if (auto const nul = text.find('\0'); nul != text.npos)  // the parser takes it for the end of the text
    throw MetadataError{"not JSON, at byte " + std::to_string(nul + 1)};
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) throw MetadataError{builder.problem};
  return std::move(builder.root);
}

namespace detail {

inline void write_json_string(std::string& text, std::string_view s) {
  text += '"';
  for (char c : s) {
    if (c == '"' || c == '\\') text += '\\';
    if (static_cast<unsigned char>(c) >= ' ')
      text += c;
    else if (c == '\n')
      text += "\\n";
    else if (c == '\t')
      text += "\\t";
    else
      (text += "\\u00") += {"01"[c >> 4], "0123456789abcdef"[c & 0xf]};
  }
  text += '"';
}

inline void write_json(std::string& text, Value const& value, std::size_t indent) {
  auto const line = [&](std::size_t spaces) { text.append(1, '\n').append(spaces, ' '); };
  auto const each = [&](char open, auto const& items, char close, auto&& write) {
    text += open;
    for (auto const& item : items) {
      if (&item != &items.front()) text += ',';
      line(indent + 2);
      write(item);
    }
    if (!items.empty()) line(indent);
    text += close;
  };
  if (value.is_null()) text += "null";
  if (auto* b = value.get_if<bool>()) text += *b ? "true" : "false";
  if (auto* n = value.get_if<Number>()) text += n->text;
  if (auto* s = value.get_if<std::string>()) write_json_string(text, *s);
  if (auto* list = value.get_if<List>())
    each('[', *list, ']', [&](Value const& item) { write_json(text, item, indent + 2); });
  if (auto* members = value.get_if<Members>())
    each('{', *members, '}', [&](Member const& member) {
      write_json_string(text, member.name);
      text += ": ";
      write_json(text, member.value, indent + 2);
    });
}

}  // namespace detail

/// JSON text, two spaces to a level, members and numbers as they are.
inline std::string to_json(Value const& value) {
  std::string text;
  detail::write_json(text, value, 0);
  return text;
}

}  // namespace tessera::inline v0
