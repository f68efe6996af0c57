// s3::credentials_of_role, credentials_of_instance: credentials that servers lend for some hours.
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/with/detail/curl/curl_batch.hpp>
#include <tessera/with/detail/curl/curl_call.hpp>
#include <tessera/with/detail/curl/curl_options.hpp>
#include <tessera/with/detail/s3/s3_settings.hpp>
#include <tessera/with/detail/s3/s3_sign.hpp>
#include <tessera/with/detail/s3/s3_xml.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// At most the latest time that the clock can say, before which "9999-12-31T23:59:59Z" is not.
inline std::chrono::system_clock::time_point time_after_1970(std::int64_t seconds) {
  using Clock = std::chrono::system_clock;
  constexpr auto last = std::chrono::duration_cast<std::chrono::seconds>(Clock::duration::max()).count();
  return Clock::time_point{std::chrono::seconds{std::clamp<std::int64_t>(seconds, 0, last)}};
}

/// "2026-01-31T12:00:00Z", with or without fractions of a second. nullopt: another text.
inline std::optional<std::chrono::system_clock::time_point> time_of(std::string const& text) {
  std::tm parts{};
  auto const* const end = ::strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (!end) return std::nullopt;
  return time_after_1970(::timegm(&parts));
}

/// The body of the answer of status 200. Throws: StoreError, which names the address.
inline std::string ask(std::string const& address, std::string const& method, std::vector<std::string> const& headers,
                       HttpOptions options) {
  http::Site const site{address, std::move(options)};
  http::Batch batch;
  http::PlainCall call{{}, [&] {
                         http::Request request{.url = address, .method = method, .follows_redirections = false};
                         http::add_header(request.headers, "Accept: */*");
                         for (auto const& header : headers) http::add_header(request.headers, header);
                         return request;
                       }};
  http::Task* const task = &call;
  try {
    batch.run(site, {&task, 1}, {}, 1);
  } catch (StoreError const& error) {
    throw StoreError{to_text({site.url.name(), ": ", error.what()})};
  }
  return call.body();
}

/// Those in a JSON document, whose session token has that name. nullopt: it has none.
inline std::optional<Credentials> credentials_in(std::string const& text, char const* token) {
  try {
    auto const document = parse_json(text);
    auto const& members = document.as<Members>();
    Credentials found{members.get("AccessKeyId", ""), members.get("SecretAccessKey", ""), members.get(token, ""),
                      time_of(members.get("Expiration", ""))};
    if (!found.key.empty() && !found.secret.empty()) return found;
  } catch (Error const&) {  // whose message might show a secret
  }
  return std::nullopt;
}

/// Exchanges the token of a web identity for credentials of a role. Throws: StoreError.
inline Credentials credentials_of_role(Settings const& settings) {
  std::ifstream file{settings.token_file, std::ios::binary};
  std::string token{std::istreambuf_iterator<char>{file}, {}};
  while (!token.empty() && (token.back() == '\n' || token.back() == '\r')) token.pop_back();
  if (token.empty())
    throw StoreError{to_text({"the file of the web identity's token, \"", settings.token_file, "\", cannot be read"})};
  auto endpoint = from_environment("AWS_ENDPOINT_URL_STS");
  if (endpoint.empty()) endpoint = "https://sts." + settings.region + ".amazonaws.com";
  auto const query = query_text({{"Action", "AssumeRoleWithWebIdentity"},
                                 {"Version", "2011-06-15"},
                                 {"RoleArn", settings.role},
                                 {"RoleSessionName", settings.role_session},
                                 {"WebIdentityToken", token}});
  auto options = settings.http;
  options.headers.clear();
  auto const answer = ask(endpoint + "/?" + query, "GET", {}, std::move(options));
  Credentials result{xml::text_of(answer, "AccessKeyId"), xml::text_of(answer, "SecretAccessKey"),
                     xml::text_of(answer, "SessionToken"), time_of(xml::text_of(answer, "Expiration"))};
  if (result.key.empty() || result.secret.empty())
    throw StoreError{to_text({"the role's server ", http::Url{endpoint}.name(), " sent no credentials"})};
  return result;
}

/// Asks the instance that the program runs on, by its link-local address. nullopt: it does not answer, or has no role.
inline std::optional<Credentials> credentials_of_instance(HttpOptions options) {
  if (auto const off = from_environment("AWS_EC2_METADATA_DISABLED"); off == "true" || off == "TRUE")
    return std::nullopt;
  auto endpoint = from_environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (endpoint.empty()) endpoint = "http://169.254.169.254";
  while (endpoint.ends_with('/')) endpoint.pop_back();
  options.headers.clear();
  options.patience = std::chrono::seconds{1};  // no address outside of a cloud answers
  options.pause = std::min<std::chrono::milliseconds>(options.pause, std::chrono::milliseconds{200});
  options.retries = std::min(options.retries, 1u);
  auto const roles = endpoint + "/latest/meta-data/iam/security-credentials/";
  std::string text;
  try {
    auto const token =
        ask(endpoint + "/latest/api/token", "PUT", {"X-aws-ec2-metadata-token-ttl-seconds: 21600"}, options);
    if (!is_for_headers({token})) return std::nullopt;
    auto const header = "X-aws-ec2-metadata-token: " + token;
    auto role = ask(roles, "GET", {header}, options);
    role = role.substr(0, role.find('\n'));
    if (role.empty()) return std::nullopt;
    text = ask(roles + http::percent_encoded(role), "GET", {header}, options);
  } catch (StoreError const&) {
    return std::nullopt;
  }
  if (auto found = credentials_in(text, "Token")) return found;
  throw StoreError{to_text({"the instance's metadata at ", endpoint, " has no credentials for its role"})};
}

}  // namespace s3
}}  // namespace tessera::v0
