// s3::shared_key: signatures of Azure's requests by the account's key ("Authorize with Shared Key" of its REST API).
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <string>
#include <string_view>

#include <tessera/core/error.hpp>
#include <tessera/metadata/detail/base64.hpp>
#include <tessera/with/detail/s3/s3_kinds.hpp>
#include <tessera/with/detail/s3/s3_sign.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// The version of the protocol that requests ask for.
inline constexpr char const* azure_version = "2021-12-02";

/// "Sun, 06 Nov 1994 08:49:37 GMT", whatever the program's locale is.
inline std::string web_time(std::chrono::system_clock::time_point now) {
  constexpr std::string_view days = "SunMonTueWedThuFriSat", months = "JanFebMarAprMayJunJulAugSepOctNovDec";
  auto const seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 40> text{};
  auto const size = std::strftime(text.data(), text.size(), "%d ??? %Y %H:%M:%S GMT", &parts);
  std::string result{text.data(), size};
  result.replace(3, 3, months.substr(static_cast<std::size_t>(3 * parts.tm_mon), 3));
  return std::string{days.substr(static_cast<std::size_t>(3 * parts.tm_wday), 3)} + ", " + result;
}

/// What is signed of a request to Azure.
struct AzureRequest {
  std::string_view method, path;                 ///< the path is percent-encoded
  Pairs query{};                                 ///< not encoded
  std::map<std::string, std::string> headers{};  ///< names in lower case
  std::size_t body = 0;                          ///< bytes
};

/// The value of the header Authorization. `key`: in base64. Throws: StoreError, if it is not.
inline std::string shared_key(std::string_view account, std::string const& key, AzureRequest const& request) {
  auto const secret = detail::decode_base64(key);
  if (!secret) throw StoreError{"found an account's key that is not base64"};
  auto const header = [&](std::string_view name) {
    auto const found = request.headers.find(std::string{name});
    return found == request.headers.end() ? std::string{} : found->second;
  };
  std::string text{request.method};
  text += "\n\n\n" + (request.body == 0 ? std::string{} : std::to_string(request.body)) + "\n\n" +
          header("content-type") + "\n\n\n" + header("if-match") + '\n' + header("if-none-match") + "\n\n" +
          header("range") + '\n';
  for (auto const& [name, value] : request.headers)
    if (name.starts_with("x-ms-")) text += name + ':' + value + '\n';
  text += to_text({"/", account, request.path});
  auto query = request.query;
  std::sort(query.begin(), query.end());
  for (auto const& [name, value] : query) text += '\n' + name + ':' + value;
  auto const* const bytes = reinterpret_cast<char const*>(secret->data());
  return to_text({"SharedKey ", account, ":", base64(hmac({bytes, secret->size()}, text))});
}

}  // namespace s3
}}  // namespace tessera::v0
