// What a server says of a value before it sends it (RFC 9110).
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// Which bytes of the value are in the body, and of how many: "bytes 0-99/1234", "bytes */1234" (RFC 9110, 14.4).
struct ContentRange {
  std::uint64_t first = 0, count = 0;
  std::optional<std::uint64_t> total{};  ///< nullopt: the server does not say

  /// nullopt: it is not well-formed.
  static std::optional<ContentRange> from(std::string_view text) {
    ContentRange range;
    if (!take(text, "bytes ")) return std::nullopt;
    if (!take(text, "*")) {
      std::uint64_t last = 0;
      if (!take(text, range.first) || !take(text, "-") || !take(text, last)) return std::nullopt;
      if (last < range.first || last == ~std::uint64_t{0}) return std::nullopt;
      range.count = last - range.first + 1;
    }
    if (!take(text, "/")) return std::nullopt;
    if (!take(text, "*") && !take(text, range.total.emplace())) return std::nullopt;
    if (!text.empty() || (range.total && range.first + range.count > *range.total)) return std::nullopt;
    return range;
  }

 private:
  static bool take(std::string_view& text, std::string_view part) {
    bool const is_there = text.starts_with(part);
    if (is_there) text.remove_prefix(part.size());
    return is_there;
  }
  static bool take(std::string_view& text, std::uint64_t& number) {
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc{};
  }
};

/// Of the header, what cURL does not tell itself.
struct Response {
  std::optional<ContentRange> range;
  std::string range_text, encoding;

  /// A line of the header, as it was received. Before an answer there may be others: of redirections.
  void take(std::string_view line) {
    if (line.starts_with("HTTP/")) *this = {};
    if (auto const value = value_of(line, "content-range"); !value.empty()) {
      range_text = value;
      range = ContentRange::from(value);
    }
    if (auto const value = value_of(line, "content-encoding"); !value.empty()) encoding = value;
  }
  /// Throws: StoreError, if the body is not the value's bytes as they are.
  void expect_plain() const {
    if (!encoding.empty() && encoding != "identity")
      throw StoreError{text({"the server sent the value with Content-Encoding \"", encoding, "\", expected none"})};
  }

 private:
  static std::string_view value_of(std::string_view line, std::string_view name) {
    if (line.size() <= name.size() || line[name.size()] != ':') return {};
    for (std::size_t i = 0; i < name.size(); ++i) {
      auto const c = line[i];
      if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != name[i]) return {};
    }
    line.remove_prefix(name.size() + 1);
    auto const is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!line.empty() && is_space(line.front())) line.remove_prefix(1);
    while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
    return line;
  }
};

}  // namespace http
}}  // namespace tessera::v0
