// Response: what the header of a server's answer says of a value (RFC 9110).
#pragma once
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// ASCII only.
inline std::string in_lower_case(std::string_view text) {
  std::string result{text};
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// The bytes of the value in the body, and the value's size: "bytes 0-99/1234", "bytes */1234" (RFC 9110, 14.4).
struct ContentRange {
  std::uint64_t first = 0, count = 0;
  std::optional<std::uint64_t> total{};  ///< nullopt: the server does not say

  /// nullopt: not well-formed.
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

/// The header of an answer.
struct Response {
  long status = 0;
  std::optional<std::uint64_t> length{};  ///< bytes of the body, if the server tells
  std::string redirection{};              ///< an absolute address, or empty
  std::optional<ContentRange> range;
  std::string range_text, encoding;
  bool is_whole = false;  ///< the header is complete: a connection may end before
  bool keeps_connection = false;
  std::string etag{};  ///< with its quotes
  std::vector<std::pair<std::string, std::string>> own{};  ///< headers of buckets: x-amz-..., x-goog-..., x-ms-...

  /// The value of a bucket's own header, or empty. `name`: in lower case.
  std::string_view of_own(std::string_view name) const {
    for (auto const& [one, value] : own)
      if (one == name) return value;
    return {};
  }
  /// Takes a line of the header as received. Other headers, such as those of redirections, may precede an answer, and a
  /// trailer may follow its body.
  void take(std::string_view line) {
    if (line.starts_with("HTTP/")) {
      *this = {};
      keeps_connection = !line.starts_with("HTTP/1.0") && !line.starts_with("HTTP/0");
    }
    auto const colon = line.find(':');
    is_whole = is_whole || trimmed(line).empty();
    if (is_whole || colon == line.npos) return;
    auto const name = in_lower_case(line.substr(0, colon));
    auto const value = trimmed(line.substr(colon + 1));
    if (name == "content-range") {
      range_text = value;
      range = ContentRange::from(in_lower_case(value));
    }
    if (name == "connection") {
      auto const said = in_lower_case(value);
      if (said.find("close") != said.npos) keeps_connection = false;
      if (said.find("keep-alive") != said.npos) keeps_connection = true;
    }
    if (name == "etag") etag = value;
    if (name.starts_with("x-amz-") || name.starts_with("x-goog-") || name.starts_with("x-ms-"))
      own.emplace_back(name, value);
    if (name == "content-encoding") encoding = in_lower_case(value);
  }
  /// Throws: StoreError, if the body is not the value's plain bytes.
  void expect_plain() const {
    constexpr std::string_view of_uploads = "aws-chunked";  // buckets keep it from an upload, but send plain bytes
    if (!encoding.empty() && encoding != "identity" && encoding != of_uploads)
      throw StoreError{to_text({"the server sent the value with Content-Encoding \"", encoding, "\", expected none"})};
  }

 private:
  static std::string_view trimmed(std::string_view text) {
    auto const is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
  }
};

}  // namespace http
}}  // namespace tessera::v0
