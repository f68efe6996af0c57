#pragma once
#include <tessera/store/detail/scheme.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::string_view scheme_of(std::string_view path) {
  auto const end = path.find("://");
  auto const scheme = path.substr(0, end == path.npos ? 0 : end);
  return scheme.find_first_of("/|") == scheme.npos ? scheme : std::string_view{};  // "a|icechunk://b" is a path
}

TESSERA_DECL bool is_web(std::string_view scheme) {
  constexpr std::string_view https = "https";
  if (scheme.size() != 4 && scheme.size() != 5) return false;
  return std::equal(scheme.begin(), scheme.end(), https.begin(), [](char a, char b) { return (a | 0x20) == b; });
}

TESSERA_DECL bool is_bucket(std::string_view scheme) {
  for (auto const* one : {"s3", "gs", "az", "abfs", "abfss"})
    if (scheme == one) return true;
  return false;
}

TESSERA_DECL std::string without_secrets(std::string_view text) {
  std::string result;
  for (auto at = text.find("://"); at != text.npos; at = text.find("://")) {
    result += text.substr(0, at + 3);
    text.remove_prefix(at + 3);
    auto const size = std::min(text.find_first_of(" \t\n\"'"), text.size());
    auto url = text.substr(0, size);
    text.remove_prefix(size);
    auto authority = url.substr(0, url.find_first_of("/?#"));
    auto const port = authority.rfind(':');
    bool const is_cut = authority.find('@') == authority.npos && port != authority.npos &&
                        authority.find_first_not_of("0123456789]", port + 1) != authority.npos;
    if (is_cut) authority = url;
    if (auto const user = authority.rfind('@'); user != authority.npos) url.remove_prefix(user + 1);
    result += url.substr(0, url.find('?'));
  }
  return result += text;
}

/// The problem of a path; empty: none.
TESSERA_DECL std::string problem_of_path(std::string_view path) {
  if (path.find('\0') != path.npos) return "found a path with a zero byte, where the system would cut it";
  auto const scheme = scheme_of(path);
  if (scheme.empty()) return {};
  return to_text({"found a URL of scheme \"", scheme, "\", expected a path",
                  scheme == "file"    ? ": leave out \"file://\""
                  : is_bucket(scheme) ? ": an S3Store of tessera/with/s3.hpp reads and writes this address"
                  : is_web(scheme)    ? ": an HttpStore of tessera/with/curl.hpp reads this address"
                                   : ": an HttpStore of tessera/with/curl.hpp reads a bucket by its https:// address"});
}

TESSERA_DECL void expect_path(std::string_view path) {
  if (auto problem = problem_of_path(path); !problem.empty())
    throw StoreError{std::move(problem)}.in_store(without_secrets(path));
}

}}}  // namespace tessera::v0::detail
