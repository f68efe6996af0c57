#pragma once
#include <tessera/core/detail/printable.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/unicode.hpp>

namespace tessera { inline namespace v0 { namespace detail {

constexpr bool is_unseen(char32_t code) {
  if (code >= ' ' && code < 0x7f) return false;
  auto const* range = std::lower_bound(std::begin(unseen), std::end(unseen), code,
                                       [](CodeRange const& one, char32_t wanted) { return one.last < wanted; });
  return range != std::end(unseen) && range->first <= code;
}

TESSERA_DECL void append_escape(std::string& text, char kind, std::uint32_t code) {
  char digits[8];
  auto const size = static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, code, 16).ptr - digits);
  ((text += '\\') += kind) += '{';
  text.append(std::string_view{digits, size}) += '}';
}

}  // namespace detail

[[gnu::noinline]] TESSERA_DECL std::string printable(std::string_view text) {
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
