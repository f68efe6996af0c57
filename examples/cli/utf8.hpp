// Names of files need not be UTF-8; JSON must.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

/// The text, with U+FFFD for every byte that is no part of a character.
inline std::string valid_utf8(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    auto const byte = [&](std::size_t k) { return static_cast<unsigned char>(i + k < text.size() ? text[i + k] : 0); };
    auto const first = byte(0);
    std::size_t const size = first < 0x80   ? 1
                             : first < 0xc2 ? 0
                             : first < 0xe0 ? 2
                             : first < 0xf0 ? 3
                             : first < 0xf5 ? 4
                                            : 0;
    bool valid = size > 0;
    for (std::size_t k = 1; k < size; ++k) valid = valid && (byte(k) & 0xc0) == 0x80;
    if (size == 3) valid = valid && !(first == 0xe0 && byte(1) < 0xa0) && !(first == 0xed && byte(1) >= 0xa0);
    if (size == 4) valid = valid && !(first == 0xf0 && byte(1) < 0x90) && !(first == 0xf4 && byte(1) >= 0x90);
    result += valid ? text.substr(i, size) : "\xef\xbf\xbd";
    i += valid ? size : 1;
  }
  return result;
}

}  // namespace cli
