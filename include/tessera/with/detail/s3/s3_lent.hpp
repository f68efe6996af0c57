// s3::credentials_of_container, credentials_of_process, credentials_of_sign_on: credentials for some hours, of a
// container's agent, of a program that the profile names, and of a single sign-on. LentCredentials: keeps them.
#pragma once
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <openssl/sha.h>

#include <tessera/core/error.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/with/detail/s3/s3_roles.hpp>
#include <tessera/with/detail/s3/s3_settings.hpp>
#include <tessera/with/detail/s3/s3_sign.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

inline std::string text_of_file(std::string const& path) {
  std::ifstream file{path, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

/// Of the agent that the environment names. Its token may go to this machine and the agents' addresses only, unless
/// over TLS. nullopt: the environment names none. Throws: StoreError.
inline std::optional<Credentials> credentials_of_container(HttpOptions options) {
  auto address = from_environment("AWS_CONTAINER_CREDENTIALS_FULL_URI");
  if (auto const path = from_environment("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); !path.empty())
    address = "http://169.254.170.2" + path;
  if (address.empty()) return std::nullopt;
  auto const plain = http::Url{address}.name();
  auto const host = plain.substr(plain.find("://") + 3);
  bool is_near = address.starts_with("https://");
  for (std::string_view const one :
       {"127.0.0.1", "localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"}) {
    auto const after = host.starts_with(one) ? (host + '/')[one.size()] : '\0';
    is_near = is_near || after == ':' || after == '/';
  }
  if (!is_near)
    throw StoreError{
        "found AWS_CONTAINER_CREDENTIALS_FULL_URI of another machine without TLS, expected https:// or an agent's "
        "address"};
  auto token = from_environment("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (auto const file = from_environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !file.empty())
    token = text_of_file(file);
  for (char const c : token)
    if (c < ' ' || c > '~') throw StoreError{"found a container's token with a character that no header can have"};
  options.headers.clear();
  std::vector<std::string> headers;
  if (!token.empty()) headers.push_back("Authorization: " + token);
  auto found = credentials_in(ask(address, "GET", headers, std::move(options)), "Token");
  if (!found) throw StoreError{to_text({"the container's agent ", http::Url{address}.name(), " sent no credentials"})};
  return found;
}

/// Of the output of a program, by the profile's `credential_process`. Throws: StoreError, which shows none of it.
inline Credentials credentials_of_process(std::string const& command) {
  auto const fail = [](char const* why) {
    throw StoreError{to_text({"the profile's credential_process ", why, ", expected credentials in JSON"})};
  };
  std::FILE* const output = ::popen(command.c_str(), "re");
  if (!output) fail("does not start");
  std::string text;
  constexpr std::size_t most = std::size_t{1} << 20;
  std::array<char, 4096> some{};
  for (std::size_t n = 1; n > 0 && text.size() < most; text.append(some.data(), n))
    n = std::fread(some.data(), 1, some.size(), output);
  auto const status = ::pclose(output);
  bool const is_unknown = status == -1 && errno == ECHILD;  // the program ignores SIGCHLD
  if (status != 0 && !is_unknown) fail("failed");
  auto found = credentials_in(text, "SessionToken");
  if (!found) fail("printed something else");
  return *std::move(found);
}

/// Exchanges the token that `aws sso login` left for credentials of the profile's role. Throws: StoreError.
inline Credentials credentials_of_sign_on(Settings const& settings) {
  auto const& on = settings.sign_on;
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  ::SHA1(reinterpret_cast<unsigned char const*>(on.session.data()), on.session.size(), digest.data());
  std::string name;
  for (auto const byte : digest) name.append({"0123456789abcdef"[byte >> 4u], "0123456789abcdef"[byte & 15u]});
  auto const file = from_environment("HOME") + "/.aws/sso/cache/" + name + ".json";
  std::string token;
  std::optional<std::chrono::system_clock::time_point> expires;
  try {
    auto const document = parse_json(text_of_file(file));
    token = document.as<Members>().get("accessToken", "");
    expires = time_of(document.as<Members>().get("expiresAt", ""));
  } catch (Error const&) {  // whose message might show a secret
  }
  if (token.empty() || !is_for_headers({token}) || (expires && *expires < std::chrono::system_clock::now()))
    throw StoreError{
        to_text({"found no valid token of the single sign-on in \"", file, "\"; aws sso login makes one"})};
  auto const endpoint =
      first_of(from_environment("AWS_ENDPOINT_URL_SSO"), "https://portal.sso." + on.region + ".amazonaws.com");
  auto options = settings.http;
  options.headers.clear();
  auto const address =
      endpoint + "/federation/credentials?" + query_text({{"role_name", on.role}, {"account_id", on.account}});
  auto const answer = ask(address, "GET", {"x-amz-sso_bearer_token: " + token}, std::move(options));
  Credentials found;
  try {
    auto const document = parse_json(answer);
    for (auto const& [member, value] : document.as<Members>()) {
      if (member != "roleCredentials") continue;
      auto const& inside = value.as<Members>();
      found = {inside.get("accessKeyId", ""), inside.get("secretAccessKey", ""), inside.get("sessionToken", ""),
               time_after_1970(inside.get("expiration", std::int64_t{0}) / 1000)};
    }
  } catch (Error const&) {
  }
  if (found.key.empty() || found.secret.empty())
    throw StoreError{to_text({"the single sign-on's server ", http::Url{endpoint}.name(), " sent no credentials"})};
  return found;
}

/// Of the first place that has some: a web identity, the profile, the container, the instance. Throws: StoreError.
inline Credentials lent_credentials(Settings const& settings) {
  Credentials lent;
  if (!settings.token_file.empty() && !settings.role.empty()) {
    lent = credentials_of_role(settings);
  } else if (!settings.sign_on.account.empty()) {
    lent = credentials_of_sign_on(settings);
  } else if (!settings.process.empty()) {
    lent = credentials_of_process(settings.process);
  } else if (auto of_container = credentials_of_container(settings.http)) {
    lent = *std::move(of_container);
  } else {
    auto found = credentials_of_instance(settings.http);
    if (!found)
      throw StoreError{
          "found no credentials in S3Options, environment, profile and instance metadata; set "
          "S3Options::anonymous to read what is public"};
    lent = std::move(*found);
  }
  if (!is_for_headers(lent)) throw StoreError{"the credentials that a server lends have characters of no header"};
  return lent;
}

/// Keeps credentials until they are about to expire. For one thread at a time.
class LentCredentials {
  using Clock = std::chrono::system_clock;

 public:
  /// Those kept, or new ones of `lend()`, which is called five minutes before the old ones expire; but while these are
  /// valid, not twice in 30 seconds, and an error of it does not matter. Throws: StoreError of `lend`.
  template <class F>
  Credentials const& at(Clock::time_point now, F&& lend) {
    bool const lasts = !kept_.expires || now + std::chrono::minutes{5} < *kept_.expires;
    bool const is_valid = !kept_.key.empty() && (!kept_.expires || now < *kept_.expires);
    if (is_valid && (lasts || now < next_)) return kept_;
    next_ = now + std::chrono::seconds{30};
    try {
      kept_ = lend();
    } catch (StoreError const&) {
      if (!is_valid) throw;
    }
    return kept_;
  }
  /// Empty: none yet.
  Credentials const& kept() const { return kept_; }
  void forget() { kept_ = {}; }

 private:
  Credentials kept_{};
  Clock::time_point next_{};  // earliest time for new ones while the old ones are valid
};

}  // namespace s3
}}  // namespace tessera::v0
