// s3::xml: the few elements of XML that buckets answer with: listings, identifiers of uploads, errors.
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {
namespace s3::xml {

/// Text with its entities replaced: "&lt;", "&#10;". Unknown ones stay.
inline std::string plain(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    constexpr std::size_t most = 12;  // characters of an entity
    auto const at = text.find('&'), end = at == text.npos ? at : text.substr(0, at + most).find(';', at);
    result += text.substr(0, at);
    if (at == text.npos) break;
    auto const name = end == text.npos ? std::string_view{} : text.substr(at + 1, end - at - 1);
    unsigned code = 0;
    if (name == "lt") code = '<';
    if (name == "gt") code = '>';
    if (name == "amp") code = '&';
    if (name == "quot") code = '"';
    if (name == "apos") code = '\'';
    if (name.starts_with("#x"))
      std::from_chars(name.data() + 2, name.data() + name.size(), code, 16);
    else if (name.starts_with("#"))
      std::from_chars(name.data() + 1, name.data() + name.size(), code);
    if (code == 0 || code > 0x10FFFF) {
      result += '&', text.remove_prefix(at + 1);
      continue;
    }
    auto const tail = [&](unsigned shift) { result += static_cast<char>(0x80u | ((code >> shift) & 0x3Fu)); };
    if (code < 0x80)
      result += static_cast<char>(code);
    else if (code < 0x800)
      result += static_cast<char>(0xC0u | (code >> 6u)), tail(0);
    else if (code < 0x10000)
      result += static_cast<char>(0xE0u | (code >> 12u)), tail(6), tail(0);
    else
      result += static_cast<char>(0xF0u | (code >> 18u)), tail(12), tail(6), tail(0);
    text.remove_prefix(end + 1);
  }
  return result;
}

/// Takes the contents of the next element of a name; nullopt: there is none. An element holds none of its own name.
inline std::optional<std::string_view> take(std::string_view& text, std::string_view name) {
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos; ++at) {
    auto rest = text.substr(at + 1);
    if (!rest.starts_with(name)) continue;
    rest.remove_prefix(name.size());
    if (rest.empty() || (rest[0] != '>' && rest[0] != ' ' && rest[0] != '/')) continue;
    auto const opened = rest.find('>');
    if (opened == rest.npos) return std::nullopt;
    bool const is_empty = opened > 0 && rest[opened - 1] == '/';
    rest.remove_prefix(opened + 1);
    if (is_empty) return text = rest, std::string_view{};
    auto const closing = "</" + std::string{name};
    auto const end = rest.find(closing);
    if (end == rest.npos) return std::nullopt;
    text = rest.substr(end + closing.size());
    return rest.substr(0, end);
  }
  return std::nullopt;
}

/// The text of the first element of a name, or empty.
inline std::string text_of(std::string_view text, std::string_view name) {
  auto const found = take(text, name);
  return found ? plain(*found) : std::string{};
}

}  // namespace s3::xml
}}  // namespace tessera::v0
