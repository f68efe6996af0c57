// Text and bytes as Python, and so NumPy, prints them: 'volume', "it's", 'a\n', b'\x00z'.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace cli {
namespace detail {

// Escapes characters that are invisible or would move their neighbours: controls, spaces except U+0020, direction
// marks, code points of private use and invalid ones.
inline bool shows(std::uint32_t c) {
  constexpr std::uint32_t hidden[][2] = {{0, 0x1f},        {0x7f, 0xa0},     {0xad, 0xad},      {0x600, 0x605},
                                         {0x61c, 0x61c},   {0x6dd, 0x6dd},   {0x70f, 0x70f},    {0x1680, 0x1680},
                                         {0x180e, 0x180e}, {0x2000, 0x200f}, {0x2028, 0x202f},  {0x205f, 0x206f},
                                         {0x3000, 0x3000}, {0xd800, 0xf8ff}, {0xfdd0, 0xfdef},  {0xfeff, 0xfeff},
                                         {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe00ff}};
  for (auto const& [first, last] : hidden)
    if (c >= first && c <= last) return false;
  return c < 0xf0000;
}

inline void append_utf8(std::string& to, std::uint32_t c) {
  auto const more = [&](int shift) { to += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80) return to += static_cast<char>(c), void();
  if (c < 0x800) return to += static_cast<char>(0xc0 | c >> 6), more(0);
  if (c < 0x10000) return to += static_cast<char>(0xe0 | c >> 12), more(6), more(0);
  to += static_cast<char>(0xf0 | c >> 18);
  more(12), more(6), more(0);
}

inline void append_escaped(std::string& to, std::uint32_t c, char quote, std::uint32_t most) {
  constexpr std::string_view digits = "0123456789abcdef";
  auto const hexadecimal = [&](char kind, int count) {
    to += '\\';
    to += kind;
    for (int i = count - 1; i >= 0; --i) to += digits[c >> 4 * i & 0xf];
  };
  if (c == '\\' || c == static_cast<unsigned char>(quote)) return to += '\\', to += static_cast<char>(c), void();
  if (c == '\n') return to += "\\n", void();
  if (c == '\r') return to += "\\r", void();
  if (c == '\t') return to += "\\t", void();
  if (c <= most && shows(c)) return append_utf8(to, c);
  if (c < 0x100) return hexadecimal('x', 2);
  if (c < 0x10000) return hexadecimal('u', 4);
  hexadecimal('U', 8);
}

// `next` returns the code point at a place, and advances it. Code points above `most` are escaped.
template <class Next>
std::string quoted(std::size_t size, std::uint32_t most, Next&& next) {
  bool single = false, twofold = false;
  for (std::size_t at = 0; at < size;) {
    auto const c = next(at);
    single = single || c == '\'';
    twofold = twofold || c == '"';
  }
  char const quote = single && !twofold ? '"' : '\'';
  std::string text{quote};
  for (std::size_t at = 0; at < size;) append_escaped(text, next(at), quote, most);
  return text += quote;
}

}  // namespace detail

/// Of code points, each in four bytes as the machine has them.
inline std::string quoted_code_points(std::string_view utf32) {
  return detail::quoted(utf32.size() / 4, 0x10ffff, [&](std::size_t& at) {
    std::uint32_t c;
    std::memcpy(&c, utf32.data() + 4 * at++, sizeof c);
    return c;
  });
}

/// Of UTF-8; invalid bytes are shown as numbers.
inline std::string quoted_text(std::string_view utf8) {
  return detail::quoted(utf8.size(), 0x10ffff, [&](std::size_t& at) -> std::uint32_t {
    auto const byte = [&](std::size_t i) { return std::uint32_t{static_cast<unsigned char>(utf8[i])}; };
    auto const first = byte(at);
    std::size_t const more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    auto c = more == 0 ? first : first & (0x3fu >> more);
    bool is_whole = at + more < utf8.size();
    for (std::size_t i = 1; is_whole && i <= more; ++i) {
      is_whole = (byte(at + i) & 0xc0) == 0x80;
      c = c << 6 | (byte(at + i) & 0x3f);
    }
    at += is_whole ? more + 1 : 1;
    return is_whole ? c : first;
  });
}

/// Of bytes: those outside ASCII are shown as numbers.
inline std::string quoted_bytes(std::string_view bytes) {
  return 'b' + detail::quoted(bytes.size(), 0x7f,
                              [&](std::size_t& at) { return std::uint32_t{static_cast<unsigned char>(bytes[at++])}; });
}

}  // namespace cli
