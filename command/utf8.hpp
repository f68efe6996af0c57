// Names of files need not be UTF-8; JSON must.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include <tessera/core/detail/unicode.hpp>

namespace cli {

/// The text, with U+FFFD for every byte that is not part of a character.
inline std::string valid_utf8(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    auto const size = tessera::detail::decode_utf8(text).size;
    result += size > 0 ? text.substr(0, size) : "\xef\xbf\xbd";
    text.remove_prefix(size > 0 ? size : 1);
  }
  return result;
}

}  // namespace cli
