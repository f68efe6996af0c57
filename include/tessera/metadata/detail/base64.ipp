#pragma once
#include <tessera/metadata/detail/base64.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

TESSERA_DECL std::optional<std::vector<std::byte>> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t const padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  text.remove_suffix(padding);
  std::vector<std::byte> bytes;
  std::size_t bits = 0, count = 0;  // number of pending bits
  for (char c : text) {
    auto const value = base64_digits.find(c);
    if (value == base64_digits.npos) return std::nullopt;
    bits = bits << 6 | value;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> count & 0xff));
    bits &= (std::size_t{1} << count) - 1;
  }
  if (bits != 0) return std::nullopt;  // leftover bits must be 0
  return bytes;
}

TESSERA_DECL std::string encode_base64(std::span<std::byte const> bytes) {
  std::string result;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    auto const count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::size_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < count ? std::to_integer<std::size_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) result += k <= count ? base64_digits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return result;
}

}}}  // namespace tessera::v0::detail
