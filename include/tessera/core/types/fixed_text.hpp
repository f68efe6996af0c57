// FixedString and Utf32: text and bytes of fixed size, padded with zeros: "fixed_length_utf32" (zarr-extensions) and
// zarr-python's "null_terminated_bytes"; in Zarr v2, "<U10" and "|S10".
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/unicode.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

/// At most N bytes.
template <std::size_t N>
requires(N > 0) struct FixedString {
  char bytes[N] = {};

  FixedString() = default;
  /// Throws: Error, if the text is too long.
  FixedString(std::string_view text) {
    if (text.size() > N) throw Error{tessera::to_text({"found ", text.size(), " bytes, expected at most ", N})};
    std::copy(text.begin(), text.end(), bytes);
  }
  FixedString(char const* text) : FixedString{std::string_view{text}} {}

  /// Without the trailing zeros. Valid as long as this object.
  std::string_view view() const {
    auto size = N;
    while (size > 0 && bytes[size - 1] == '\0') --size;
    return {bytes, size};
  }
  friend bool operator==(FixedString const& a, FixedString const& b) { return a.view() == b.view(); }
};
template <std::size_t N>
struct element_traits<FixedString<N>> {
  static constexpr DataType type{DataKind::null_terminated, N};
};

/// At most N Unicode code points.
template <std::size_t N>
requires(N > 0) struct Utf32 {
  char32_t codes[N] = {};  ///< zeros after the text

  Utf32() = default;
  /// Throws: Error, if the text is too long.
  Utf32(std::u32string_view text) {
    if (text.size() > N) throw Error{tessera::to_text({"found ", text.size(), " code points, expected at most ", N})};
    std::copy(text.begin(), text.end(), codes);
  }
  Utf32(char32_t const* text) : Utf32{std::u32string_view{text}} {}
  /// From UTF-8. Throws: Error, if the text is not UTF-8 or too long.
  explicit Utf32(std::string_view text) {
    for (std::size_t i = 0; !text.empty(); ++i) {
      auto const [code, size] = detail::decode_utf8(text);
      if (size == 0) throw Error{"found text that is not UTF-8"};
      if (i == N) throw Error{tessera::to_text({"found more than ", N, " code points"})};
      codes[i] = code;
      text.remove_prefix(size);
    }
  }

  /// Without the trailing zeros. Valid as long as this object.
  std::u32string_view view() const {
    auto size = N;
    while (size > 0 && codes[size - 1] == U'\0') --size;
    return {codes, size};
  }
  /// The same text in UTF-8.
  std::string utf8() const {
    std::string result;
    for (auto const code : view()) detail::append_utf8(result, code);
    return result;
  }
  friend bool operator==(Utf32 const& a, Utf32 const& b) { return a.view() == b.view(); }
};
template <std::size_t N>
struct element_traits<Utf32<N>> {
  static constexpr DataType type{DataKind::utf32, 4 * N};
};

}}  // namespace tessera::v0
