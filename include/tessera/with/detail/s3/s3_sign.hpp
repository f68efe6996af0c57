// s3::authorization: signatures of requests (AWS Signature Version 4), with OpenSSL's SHA-256 and HMAC.
//
// libcurl signs too (CURLOPT_AWS_SIGV4), but 7.88 sends no x-amz-content-sha256, which buckets require, and signs
// queries as they are given: unsorted, and names without a "=".
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <ctime>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if !__has_include(<openssl/hmac.h>)
#error "tessera/with/s3.hpp needs OpenSSL's libcrypto: on Debian or Ubuntu, apt install libssl-dev"
#endif
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>

#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/with/detail/curl/curl_url.hpp>
#include <tessera/with/detail/s3/s3_kinds.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// What signs requests; without a key, requests are not signed. No message shows any of it.
struct Credentials {
  std::string key{}, secret{}, token{};
  std::optional<std::chrono::system_clock::time_point> expires{};  ///< nullopt: never
};

/// Whether no character could begin another header.
inline bool is_for_headers(Credentials const& credentials) {
  for (auto const* text : {&credentials.key, &credentials.secret, &credentials.token})
    for (char const c : *text)
      if (c <= ' ' || c > '~') return false;
  return true;
}

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

inline std::string hex(Digest const& digest) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (auto const byte : digest) text.append({digits[byte >> 4u], digits[byte & 15u]});
  return text;
}
inline Digest sha256(void const* data, std::size_t size) {
  Digest digest{};
  ::SHA256(static_cast<unsigned char const*>(data), size, digest.data());
  return digest;
}
inline std::string sha256_text(std::string_view text) { return hex(sha256(text.data(), text.size())); }
/// In base64, as checksums of bodies are sent.
inline std::string base64(Digest const& digest) {
  std::array<unsigned char, 4 * ((SHA256_DIGEST_LENGTH + 2) / 3) + 1> text{};
  auto const size = ::EVP_EncodeBlock(text.data(), digest.data(), SHA256_DIGEST_LENGTH);
  return {reinterpret_cast<char const*>(text.data()), static_cast<std::size_t>(size)};
}
inline Digest hmac(std::string_view key, std::string_view text) {
  Digest digest{};
  unsigned size = 0;
  if (!::HMAC(::EVP_sha256(), key.data(), static_cast<int>(key.size()),
              reinterpret_cast<unsigned char const*>(text.data()), text.size(), digest.data(), &size))
    throw StoreError{"OpenSSL has no HMAC of SHA-256"};
  return digest;
}

/// "20130524T000000Z".
inline std::string time_text(std::chrono::system_clock::time_point now) {
  auto const seconds = std::chrono::system_clock::to_time_t(now);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 20> text{};
  auto const size = std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return {text.data(), size};
}

/// A query as signed and sent: sorted by the encoded names, then by the values.
inline std::string query_text(Pairs const& query) {
  Pairs encoded;
  for (auto const& [name, value] : query)
    encoded.emplace_back(http::percent_encoded(name), http::percent_encoded(value));
  std::sort(encoded.begin(), encoded.end());
  std::string text;
  for (auto const& [name, value] : encoded) text += (text.empty() ? "" : "&") + name + '=' + value;
  return text;
}

/// What is signed of a request.
struct Unsigned {
  std::string_view method, path, query;        ///< path and query are percent-encoded
  std::map<std::string, std::string> headers;  ///< names in lower case; host and all x-amz-...
  std::string_view payload;                    ///< the body's SHA-256, or UNSIGNED-PAYLOAD
};

/// The names in signatures. Google's are made as Amazon's.
struct Signer {
  std::string_view key, algorithm, service, request;
};
inline constexpr Signer amazon_signer{"AWS4", "AWS4-HMAC-SHA256", "s3", "aws4_request"};
inline constexpr Signer google_signer{"GOOG4", "GOOG4-HMAC-SHA256", "storage", "goog4_request"};

/// The value of the header Authorization. `time`: as in x-amz-date.
inline std::string authorization(Credentials const& with, std::string_view region, std::string_view time,
                                 Unsigned const& request, Signer const& by = amazon_signer) {
  std::string names, lines;
  for (auto const& [name, value] : request.headers) {
    names += (names.empty() ? "" : ";") + name;
    lines += name + ':' + value + '\n';
  }
  auto const canonical = to_text(
      {request.method, "\n", request.path, "\n", request.query, "\n", lines, "\n", names, "\n", request.payload});
  auto const day = time.substr(0, 8);
  auto const scope = to_text({day, "/", region, "/", by.service, "/", by.request});
  auto key = std::string{by.key} + with.secret;
  for (auto const part : {day, region, by.service, by.request}) {
    auto const next = hmac(key, part);
    key.assign(next.begin(), next.end());
  }
  auto const signature = hex(hmac(key, to_text({by.algorithm, "\n", time, "\n", scope, "\n", sha256_text(canonical)})));
  return to_text(
      {by.algorithm, " Credential=", with.key, "/", scope, ", SignedHeaders=", names, ", Signature=", signature});
}

}  // namespace s3
}}  // namespace tessera::v0
