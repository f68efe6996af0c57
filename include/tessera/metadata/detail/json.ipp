#pragma once
#include <tessera/metadata/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/detail/unicode.hpp>
#include <tessera/core/detail/value_conversion.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_{text} {}

  Value read() {
    if (text_.starts_with(byte_order_mark)) at_ = byte_order_mark.size();  // Windows editors write it
    if (is_wide()) throw MetadataError{"not JSON in UTF-8: the text is UTF-16 or UTF-32; write it again as UTF-8"};
    for (auto* place = &root_; place;) place = next(value(*place));
    space();
    if (at_ != text_.size()) fail();
    return std::move(root_);
  }

 private:
  // In UTF-16 and UTF-32, every other byte of JSON's start is 0, unless a byte order mark precedes it.
  bool is_wide() const {
    return text_.starts_with("\xff\xfe") || text_.starts_with("\xfe\xff") ||
           (text_.size() > 1 && (text_[0] == '\0') != (text_[1] == '\0'));
  }
  [[noreturn]] void fail() const { throw MetadataError{to_text({"not JSON, at byte ", at_ + 1})}; }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) { return peek() == c && c != '\0' && ++at_; }
  void expect(char c) {
    if (!take(c)) fail();
  }
  bool take(std::string_view word) { return text_.substr(at_).starts_with(word) && (at_ += word.size()); }
  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  // Reads one value. true: only the start of a list or an object, which is now open.
  bool value(Value& place) {
    if (++count_ > bounds::values)
      throw MetadataError{to_text({"more than ", bounds::values, " values in one document"})};
    space();
    bool const opens = peek() == '{' || peek() == '[';
    if (take('{'))
      place = Members{};
    else if (take('['))
      place = List{};
    else if (peek() == '"')
      place = string();
    else if (take("true"))
      place = true;
    else if (take("false"))
      place = false;
    else if (!take("null"))
      place = number();
    if (!opens) return false;
    if (open_.size() == bounds::nesting)
      throw MetadataError{to_text({"nested deeper than ", bounds::nesting, " levels"})};
    open_.push_back(&place);  // stays valid: its parent does not grow while it is open
    return true;
  }

  // Where to put the next value; null: no more. `opened`: the innermost list or object is still empty.
  Value* next(bool opened) {
    for (; !open_.empty(); opened = false) {
      auto* list = open_.back()->get_if<List>();
      auto* members = open_.back()->get_if<Members>();
      space();
      if (take(list ? ']' : '}')) {
        if (members) expect_different(*members);
        open_.pop_back();
        continue;
      }
      if (!opened) expect(',');
      if (list) return &list->emplace_back();
      space();
      if (peek() != '"') fail();
      if (members->size() == bounds::members)
        throw MetadataError{to_text({"more than ", bounds::members, " members in one object"})};
      auto& member = members->emplace_back(string(), nullptr);
      space();
      expect(':');
      return &member.value;
    }
    return nullptr;
  }

  static void expect_different(Members const& members) {
    if (members.size() < 2) return;
    std::vector<std::string_view> names;
    for (auto const& member : members) names.push_back(member.name);
    std::sort(names.begin(), names.end());
    if (auto const twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
      throw MetadataError{to_text({"member ", describe(std::string{*twice}), " is there twice"})};
  }

  Number number() {
    auto const begin = at_;
    // Python's words, not JSON: zarr-python writes and reads them in attributes and their copies.
    bool const is_digit = peek() >= '0' && peek() <= '9';  // the usual case
    if (is_digit || !(take("NaN") || take("Infinity") || take("-Infinity"))) {
      (void)take('-');
      if (!take('0')) digits();
      if (take('.')) digits();
      if (take('e') || take('E')) {
        (void)(take('+') || take('-'));
        digits();
      }
    }
    return {std::string{text_.substr(begin, at_ - begin)}};
  }
  void digits() {
    auto const end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
    if (end == at_) fail();
    at_ = end;
  }

  std::string string() {
    std::string result;
    expect('"');
    for (;;) {
      auto const begin = at_;
      while (at_ < text_.size() && is_itself(text_[at_])) ++at_;
      result.append(text_, begin, at_ - begin);
      if (take('"')) return result;
      if (take('\\')) {
        escaped(result);
        continue;
      }
      auto const [code, size] = decode_utf8(text_.substr(at_));
      if (size == 0 || code < ' ') fail();
      result.append(text_, at_, size);
      at_ += size;
    }
  }
  // ASCII other than controls, quotes and backslashes.
  static bool is_itself(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }
  void escaped(std::string& result) {
    constexpr std::string_view names = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
    if (auto const i = names.find(peek()); i != names.npos) {
      ++at_;
      result += meant[i];
      return;
    }
    auto code = hexadecimal();
    if (code >= 0xd800 && code < 0xdc00) {  // the first half of a pair
      expect('\\');
      auto const low = hexadecimal();
      if (low < 0xdc00 || low >= 0xe000) fail();
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
      fail();
    }
    append_utf8(result, code);
  }
  char32_t hexadecimal() {
    expect('u');
    char32_t code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      constexpr std::string_view values = "0123456789abcdefABCDEF";
      auto const digit = values.find(peek());
      if (digit == values.npos) fail();
      code = code * 16 + static_cast<char32_t>(digit < 16 ? digit : digit - 6);
    }
    return code;
  }

  std::string_view text_;
  std::size_t at_ = 0, count_ = 0;
  Value root_;
  std::vector<Value*> open_;
};

}  // namespace detail

TESSERA_DECL Value parse_json(std::string_view text) { return detail::JsonReader{text}.read(); }

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
