#pragma once
#include <tessera/metadata/to_json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/detail/unicode.hpp>
#include <tessera/core/detail/value_access.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/metadata/json.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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
    if (indent_ / 2 > bounds::nesting)
      throw MetadataError{tessera::to_text({"nested deeper than ", bounds::nesting, " levels"})};
    text.append(1, '\n').append(indent_, ' ');
  }
  void close(bool empty, char c) {
    if (!empty) text.append(1, '\n').append(indent_ -= 2, ' ');
    text += c;
  }

  // Unchanged; refuses anything but a JSON number.
  void number(std::string const& digits) {
    try {
      if (parse_json(digits) != Value{Number{digits}}) throw MetadataError{"other text around it"};
    } catch (MetadataError const&) {
      throw MetadataError{tessera::to_text({"cannot write this as a number: ", describe(digits)})};
    }
    text += digits;
  }

  // ASCII, with escapes for everything else.
  void quote(std::string_view s) {
    text += '"';
    while (!s.empty()) {
      auto const [code, size] = decode_utf8(s);
      if (size == 0) throw MetadataError{"cannot write a string that is not UTF-8"};
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

TESSERA_DECL std::string to_json(Value const& value) {
  detail::JsonWriter writer;
  writer.write(value);
  return std::move(writer.text);
}

}}  // namespace tessera::v0
