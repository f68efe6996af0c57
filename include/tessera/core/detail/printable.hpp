// printable: makes text from files safe for messages.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace tessera { inline namespace v0 {
namespace detail {

struct CodeRange {
  char32_t first, last;
};

// Unicode 15: control characters, line and paragraph separators, format characters (Cc, Zl, Zp, Cf), and invisible
// characters (Default_Ignorable_Code_Point).
inline constexpr CodeRange unseen[] = {
    {0x0, 0x1f},        {0x7f, 0x9f},       {0xad, 0xad},       {0x34f, 0x34f},     {0x600, 0x605},
    {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
    {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
    {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
    {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
    {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

/// The longest beginning of a text that has at most `most` bytes and ends with a whole character.
constexpr std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  auto end = most;
  while (end > 0 && most - end < 3 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace detail

/// The text as one line that cannot control a terminal or hide anything. Characters that move the cursor, break lines,
/// change the writing direction or are invisible become \u{202e}, and bytes that are not UTF-8 become \x{ff}, as in
/// std::format. Escaped text stays the same.
std::string printable(std::string_view text);

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/printable.ipp>
#endif
