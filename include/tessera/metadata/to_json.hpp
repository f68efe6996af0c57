// A Value as JSON text, byte for byte as zarr-python writes it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/core/unicode.hpp>
#include <tessera/core/value.hpp>
#include <tessera/metadata/json.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

class JsonWriter {
 public:
  std::string text;

  void write(Value const& value) {
    if (value.is_null()) text += "null";
    if (auto* b = value.get_if<bool>()) text += *b ? "true" : "false";
    if (auto* n = value.get_if<Number>()) number(n->text);
    if (auto* s = value.get_if<std::string>()) quote(*s);
    if (auto* list = value.get_if<List>()) {
      text += '[';
      for (auto const& item : *list) {
        line(&item == &list->front());
        write(item);
      }
      close(list->empty(), ']');
    }
    if (auto* members = value.get_if<Members>()) {
      text += '{';
      for (auto const& member : *members) {
        line(&member == &members->front());
        quote(member.name);
        text += ": ";
        write(member.value);
      }
      close(members->empty(), '}');
    }
  }

 private:
  void line(bool first) {
    if (first)
      indent_ += 2;
    else
      text += ',';
    if (indent_ / 2 > JsonReader::max_depth)
      throw MetadataError{tessera::text({"nested deeper than ", JsonReader::max_depth, " levels"})};
    text.append(1, '\n').append(indent_, ' ');
  }
  void close(bool empty, char c) {
    if (!empty) text.append(1, '\n').append(indent_ -= 2, ' ');
    text += c;
  }

  // As it is, if it is one.
  void number(std::string const& digits) {
    try {
      if (parse_json(digits) != Value{Number{digits}}) throw MetadataError{"other text around it"};
    } catch (MetadataError const&) {
      throw MetadataError{tessera::text({"a number that shall be written is none: ", describe(digits)})};
    }
    text += digits;
  }

  // In ASCII, with escapes for everything else.
  void quote(std::string_view s) {
    text += '"';
    while (!s.empty()) {
      auto const [code, size] = decode_utf8(s);
      if (size == 0) throw MetadataError{"a string that shall be written is not UTF-8"};
      character(code);
      s.remove_prefix(size);
    }
    text += '"';
  }
  void character(char32_t code) {
    constexpr std::string_view meant = "\"\\\b\f\n\r\t", names = "\"\\bfnrt";
    if (auto const i = code < 0x80 ? meant.find(static_cast<char>(code)) : meant.npos; i != meant.npos)
      (text += '\\') += names[i];
    else if (code >= ' ' && code < 0x7f)
      text += static_cast<char>(code);
    else if (code < 0x10000)
      unit(code);
    else
      unit(0xd800 + ((code - 0x10000) >> 10)), unit(0xdc00 + (code & 0x3ff));
  }
  void unit(char32_t code) {
    text += "\\u";
    for (unsigned shift = 16; shift > 0;) text += "0123456789abcdef"[code >> (shift -= 4) & 0xf];
  }

  std::size_t indent_ = 0;
};

}  // namespace detail

/// JSON text in ASCII, two spaces to a level, members and numbers as they are. Throws: MetadataError, if a string is
/// not UTF-8, a number is none, or lists and objects lie deeper than parse_json reads.
inline std::string to_json(Value const& value) {
  detail::JsonWriter writer;
  writer.write(value);
  return std::move(writer.text);
}

}}  // namespace tessera::v0
