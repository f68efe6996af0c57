// Base64 to bytes (RFC 4648, section 4).
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// The standard alphabet with its padding, and nothing else. nullopt: it is not that.
inline std::optional<std::vector<std::byte>> decode_base64(std::string_view text) {
  constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t const padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  text.remove_suffix(padding);
  std::vector<std::byte> bytes;
  std::size_t bits = 0, count = 0;  // of bits not yet in a byte
  for (char c : text) {
    auto const value = alphabet.find(c);
    if (value == alphabet.npos) return std::nullopt;
    bits = bits << 6 | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> count & 0xff));
    bits &= (std::size_t{1} << count) - 1;
  }
  if (bits != 0) return std::nullopt;  // what is left over says nothing
  return bytes;
}

}  // namespace detail
}}  // namespace tessera::v0
