// http::Url: a server's address, and the addresses of values below it.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/with/detail/curl/curl_response.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// All but letters, digits, "-", ".", "_", "~" (RFC 3986, 2.3) and the characters of `kept` become "%" and two digits.
inline std::string percent_encoded(std::string_view text, std::string_view kept = {}) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (char const c : text) {
    bool const is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                          c == '.' || c == '_' || c == '~' || kept.find(c) != kept.npos;
    auto const byte = static_cast<unsigned char>(c);
    if (is_plain)
      result += c;
    else
      result.append({'%', digits[byte >> 4u], digits[byte & 15u]});
  }
  return result;
}

/// "https://user:password@host/folder?query": a key follows the folder in its address. All keys share the query, which
/// may hold the credentials.
class Url {
 public:
  /// Throws: StoreError, which shows nothing of an invalid address: it may contain a password.
  explicit Url(std::string given) : root_{std::move(given)} {
    auto const fail = [](std::string_view why) {
      throw StoreError{to_text({"found an address ", why})}.in_store("HTTP");
    };
    if (root_.find('\0') != root_.npos || root_.find("%00") != root_.npos)
      fail("with a zero byte, at which servers and libraries would truncate it");
    if (auto const query = root_.find('?'); query != root_.npos) {
      query_ = root_.substr(query);
      root_.resize(query);
    }
    while (root_.ends_with('/')) root_.pop_back();
    auto const host = root_.find("://") + 3;
    auto const scheme = in_lower_case(root_.substr(0, host));
    if (scheme != "http://" && scheme != "https://")
      fail("that is not a web URL, expected http:// or https://; a bucket also has an https:// address");
    if (host == root_.size() || root_[host] == '/') fail("without a host, expected https://host/folder");
    is_secure_ = scheme == "https://";
    auto authority = std::string_view{root_}.substr(host);
    authority = authority.substr(0, authority.find('/'));
    auto const server = authority.substr(authority.find_last_of("@]") + 1);  // all, if neither is there
    auto const port = server.find(':');
    if (port != server.npos && server.find_first_not_of("0123456789", port + 1) != server.npos)
      fail("with a port, expected a number; \"/\", \"?\" and \"@\" in a password must be written %2F, %3F and %40");
    for (auto const& part : {root_, query_})
      for (char const c : part)
        if (c <= ' ' || c > '~' || c == '#')
          fail("with a space, a \"#\", a control character or one outside ASCII, expected percent-encoding");
  }

  bool is_secure() const { return is_secure_; }
  /// The name in messages: without user, password and query, which may be secrets.
  std::string name() const {
    auto const host = root_.find("://") + 3;
    auto const user = root_.rfind('@', root_.find('/', host));
    return user == root_.npos || user < host ? root_ : root_.substr(0, host) + root_.substr(user + 1);
  }

  /// The key's address, percent-encoded.
  std::string of(Key const& key) const { return root_ + '/' + percent_encoded(key.path, "/") + query_; }
  /// The address of the folder itself, without the query.
  std::string const& root() const { return root_; }

 private:
  std::string root_, query_;
  bool is_secure_ = false;
};

}  // namespace http
}}  // namespace tessera::v0
