// Text of others, in messages: names and what was found come from files.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/unicode.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct CodeRange {
  char32_t first, last;
};

// Unicode 15: controls, line and paragraph separators, format characters (Cc, Zl, Zp, Cf), and what is shown as nothing
// (Default_Ignorable_Code_Point).
inline constexpr CodeRange unseen[] = {
    {0x0, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},
    {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
    {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

constexpr bool is_unseen(char32_t code) {
  if (code >= ' ' && code < 0x7f) return false;
  auto const* range = std::lower_bound(std::begin(unseen), std::end(unseen), code,
                                       [](CodeRange const& one, char32_t wanted) { return one.last < wanted; });
  return range != std::end(unseen) && range->first <= code;
}

inline void append_escape(std::string& text, char kind, std::uint32_t code) {
  char digits[8];
  auto const size = static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, code, 16).ptr - digits);
  ((text += '\\') += kind) += '{';
  text.append(std::string_view{digits, size}) += '}';
}

/// The beginning of a text, of at most so many bytes, that ends with a whole character.
constexpr std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  auto end = most;
  while (end > 0 && most - end < 3 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace detail

/// The text as one line that steers no terminal and hides nothing: what moves the cursor, breaks the line, turns the
/// direction of writing or is not seen is escaped, \u{202e}, and bytes that are not UTF-8, \x{ff}, as std::format
/// escapes them. What was escaped stays as it is.
[[gnu::noinline]] inline std::string printable(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    auto const [code, size] = detail::decode_utf8(text);
    if (size == 0)
      detail::append_escape(shown, 'x', static_cast<unsigned char>(text.front()));
    else if (detail::is_unseen(code))
      detail::append_escape(shown, 'u', static_cast<std::uint32_t>(code));
    else
      shown += text.substr(0, size);
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return shown;
}

}}  // namespace tessera::v0
