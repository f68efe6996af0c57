// UTF-8 to code points and back.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct CodePoint {
  char32_t code;
  std::size_t size;  // bytes; 0: the text does not begin with UTF-8
};

/// The first character of a text (Unicode, table 3-7: no surrogates, no overlong forms).
constexpr CodePoint decode_utf8(std::string_view text) {
  if (text.empty()) return {0, 0};
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  auto const first = byte(0);
  if (first < 0x80) return {first, 1};
  std::size_t const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return {0, 0};
  char32_t code = first & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {0, 0};
    code = code << 6 | (byte(i) & 0x3f);
  }
  bool const is_short = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  bool const is_none = (code >= 0xd800 && code < 0xe000) || code > 0x10ffff;
  return is_short || is_none ? CodePoint{0, 0} : CodePoint{code, size};
}

constexpr void append_utf8(std::string& text, char32_t code) {
  auto const put = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0 | code >> 6);
  } else {
    if (code < 0x10000) {
      put(0xe0 | code >> 12);
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
    }
    put(0x80 | (code >> 6 & 0x3f));
  }
  put(0x80 | (code & 0x3f));
}

}  // namespace detail
}}  // namespace tessera::v0
