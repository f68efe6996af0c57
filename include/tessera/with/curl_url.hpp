// Addresses of a server, and of the values below them.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/key/key.hpp>
#include <tessera/with/curl_response.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// "https://user:password@host/folder?query": a key's address has the key behind the folder. Of a query, which may be
/// what lets a program in, all keys have the same.
class Url {
 public:
  /// Throws: StoreError, which shows none of an address that is wrong: it may have a password in it.
  explicit Url(std::string given) : root_{std::move(given)} {
    auto const fail = [](std::string_view why) { throw StoreError{text({"found an address ", why})}.in_store("HTTP"); };
    if (auto const query = root_.find('?'); query != root_.npos) {
      query_ = root_.substr(query);
      root_.resize(query);
    }
    while (root_.ends_with('/')) root_.pop_back();
    auto const host = root_.find("://") + 3;
    auto const scheme = in_lower_case(root_.substr(0, host));
    if (scheme != "http://" && scheme != "https://")
      fail("that is no URL of the web, expected http:// or https://; a bucket has an https:// address, too");
    if (host == root_.size() || root_[host] == '/') fail("without a host, expected https://host/folder");
    is_secure_ = scheme == "https://";
    auto authority = std::string_view{root_}.substr(host);
    authority = authority.substr(0, authority.find('/'));
    auto const server = authority.substr(authority.find_last_of("@]") + 1);  // all, if neither is there
    auto const port = server.find(':');
    if (port != server.npos && server.find_first_not_of("0123456789", port + 1) != server.npos)
      fail("with a port, expected a number; \"/\", \"?\" and \"@\" of a password are %2F, %3F and %40");
    for (auto const& part : {root_, query_})
      for (char const c : part)
        if (c <= ' ' || c > '~' || c == '#')
          fail("with a space, a \"#\" or a sign beyond ASCII, expected percent-encoding");
  }

  bool is_secure() const { return is_secure_; }
  /// What messages call it: without user, password and query, which may be secrets.
  std::string name() const {
    auto const host = root_.find("://") + 3;
    auto const user = root_.rfind('@', root_.find('/', host));
    return user == root_.npos || user < host ? root_ : root_.substr(0, host) + root_.substr(user + 1);
  }

  /// Percent-encoded as RFC 3986, 2.3, says: all but letters, digits, "-", ".", "_" and "~".
  std::string of(Key const& key) const {
    constexpr std::string_view digits = "0123456789ABCDEF";
    auto result = root_ + '/';
    for (char const c : key.path) {
      bool const is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                            c == '.' || c == '_' || c == '~' || c == '/';
      auto const byte = static_cast<unsigned char>(c);
      if (is_plain)
        result += c;
      else
        result.append({'%', digits[byte >> 4u], digits[byte & 15u]});
    }
    return result + query_;
  }

 private:
  std::string root_, query_;
  bool is_secure_ = false;
};

}  // namespace http
}}  // namespace tessera::v0
