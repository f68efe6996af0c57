// s3::Settings: what a bucket's address, S3Options, the environment and the profile's files say together.
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/with/detail/curl/curl_options.hpp>
#include <tessera/with/detail/curl/curl_response.hpp>
#include <tessera/with/detail/s3/s3_kinds.hpp>
#include <tessera/with/detail/s3/s3_sign.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

inline std::string from_environment(char const* name) {
  auto const* const value = std::getenv(name);
  return value ? value : "";
}

/// The members of a profile in "~/.aws/credentials" and "~/.aws/config", or other files that the environment names.
/// Files that are missing have none.
class Profile {
 public:
  explicit Profile(std::string name) : name_{std::move(name)} {
    auto const home = from_environment("HOME");
    auto const file = [&](char const* variable, char const* usual) {
      auto const named = from_environment(variable);
      return named.empty() ? home + usual : named;
    };
    if (name_ == "default") read(file("AWS_CONFIG_FILE", "/.aws/config"), name_);
    read(file("AWS_CONFIG_FILE", "/.aws/config"), "profile " + name_);
    read(file("AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials"), name_);
    if (auto const session = of("sso_session"); !session.empty())
      read(file("AWS_CONFIG_FILE", "/.aws/config"), "sso-session " + session);
  }

  std::string const& name() const { return name_; }
  /// Whether a file has the profile.
  bool is_there() const { return is_there_; }
  /// Whether its credentials are those of a role, for which it has others.
  bool takes_role() const {
    return !of("role_arn").empty() && (!of("source_profile").empty() || !of("credential_source").empty());
  }
  /// Empty: none. `member`: in lower case.
  std::string of(std::string const& member) const {
    auto const found = members_.find(member);
    return found == members_.end() ? std::string{} : found->second;
  }

 private:
  void read(std::string const& path, std::string const& section) {
    std::ifstream file{path};
    bool is_in_section = false;
    auto indent = std::string::npos;  // of the last member: deeper lines are below it, as those of "s3 ="
    for (std::string line; std::getline(file, line);) {
      if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);  // some editors begin a file with it
      auto const text = trimmed(line);
      if (text.empty() || text[0] == '#' || text[0] == ';') continue;
      auto const at = line.find_first_not_of(" \t");
      if (at > indent) continue;
      if (text.front() == '[') {
        is_in_section = section_in(text) == section;
        is_there_ = is_there_ || is_in_section;
        indent = std::string::npos;
        continue;
      }
      indent = at;
      auto const equals = text.find('=');
      if (!is_in_section || equals == text.npos) continue;
      auto const name = http::in_lower_case(trimmed(std::string_view{text}.substr(0, equals)));
      members_[name] = trimmed(std::string_view{text}.substr(equals + 1));
    }
  }
  static std::string trimmed(std::string_view text) {
    auto const begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
    return std::string{begin == text.npos ? std::string_view{} : text.substr(begin, end - begin + 1)};
  }
  // "profile a b" for a line such as [profile  "a b"]  # a comment.
  static std::string section_in(std::string_view line) {
    auto const name = trimmed(line.substr(1, line.find(']') - 1));
    for (std::string const kind : {"profile", "sso-session"}) {
      if (!name.starts_with(kind + ' ') && !name.starts_with(kind + '\t')) continue;
      auto of_kind = trimmed(std::string_view{name}.substr(kind.size()));
      if (of_kind.size() > 1 && (of_kind[0] == '"' || of_kind[0] == '\'') && of_kind.back() == of_kind[0])
        of_kind = of_kind.substr(1, of_kind.size() - 2);
      return kind + ' ' + of_kind;
    }
    return name;
  }

  std::string name_;
  bool is_there_ = false;
  std::map<std::string, std::string> members_;
};

/// All of it is decided when a store is made.
struct Settings {
  Kind kind = Kind::amazon;
  std::string account{};           ///< Azure's
  std::string bucket{}, folder{};  ///< the folder without slashes around it, or empty
  std::string endpoint{}, region{};
  bool has_bucket_in_path = false;
  bool is_anonymous = false;
  Credentials given{};  ///< without a key: from a role's token, or from the instance
  std::string bearer{}, sas{};  ///< in place of a signature
  std::string role{}, role_session{}, token_file{};
  struct SignOn {
    std::string session{}, region{}, account{}, role{};
  } sign_on{};            ///< of the profile; without an account there is none
  std::string process{};  ///< the command whose output has credentials; empty: none
  std::uint64_t multipart_above = 0, part_bytes = 0;
  bool one_writer = false;
  std::chrono::seconds lease{}, lock_patience{};
  HttpOptions http{};

  std::string name() const {
    auto const scheme = kind == Kind::google ? "gs://" : kind == Kind::azure ? "az://" : "s3://";
    return to_text({scheme, account, account.empty() ? "" : "/", bucket, folder.empty() ? "" : "/", folder});
  }
};

/// Sets bucket and folder. Throws: StoreError, which shows nothing of an invalid address.
inline Settings settings_of_address(std::string_view address) {
  auto const fail = [](char const* why) { throw StoreError{to_text({"found an address ", why})}.in_store("S3"); };
  auto const take = [&](std::string_view scheme) {
    bool const is_it = address.starts_with(scheme);
    if (is_it) address.remove_prefix(scheme.size());
    return is_it;
  };
  auto const name = [&] {  // up to the next slash
    std::string found{address.substr(0, address.find('/'))};
    address.remove_prefix(std::min(address.size(), found.size() + 1));
    return found;
  };
  Settings settings;
  bool const names_container = take("abfs://") || take("abfss://");  // container@account.dfs.core.windows.net
  if (names_container || take("az://"))
    settings.kind = Kind::azure;
  else if (take("gs://"))
    settings.kind = Kind::google;
  else if (!take("s3://"))
    fail("of another kind, expected s3://bucket/folder, gs://bucket/folder or az://account/container/folder");
  if (settings.kind == Kind::azure && address.find('?') != address.npos)  // messages would show it as a folder
    fail("with a query, expected a shared access signature in S3Options::sas or AZURE_STORAGE_SAS_TOKEN");
  if (settings.kind == Kind::azure) settings.account = name();
  if (auto const at = settings.account.find('@'); names_container && at != std::string::npos) {
    settings.bucket = settings.account.substr(0, at);
    settings.account.erase(0, at + 1);
    settings.account.resize(std::min(settings.account.size(), settings.account.find('.')));
  } else {
    settings.bucket = name();
  }
  if (settings.bucket.empty() || (settings.kind == Kind::azure && settings.account.empty()))
    fail("without a bucket, expected s3://bucket/folder, gs://bucket/folder or az://account/container/folder");
  if (settings.account.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789") != std::string::npos)
    fail("with an account of other characters than small letters and digits");
  if (settings.bucket.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_") !=
      std::string::npos)
    fail("with a bucket of other characters than letters, digits, \".\", \"-\" and \"_\"");
  while (address.ends_with('/')) address.remove_suffix(1);
  settings.folder = address;
  if (!settings.folder.empty()) check_key(Key{settings.folder});
  return settings;
}

/// The first text that is not empty.
template <class... Texts>
std::string first_of(Texts const&... candidates) {
  std::string found;
  for (auto const& one : std::array{std::string{candidates}...})
    if (found.empty()) found = one;
  return found;
}

/// Server and credentials of Amazon's kind, from the options, the environment and the profile. Throws: StoreError.
template <class Options>
void find_amazons(Settings& settings, Options const& options) {
  auto const fail = [&](std::string problem) { throw StoreError{std::move(problem)}.in_store(settings.name()); };
  bool const names_profile = !options.profile.empty();
  Profile const profile{first_of(options.profile, from_environment("AWS_PROFILE"), "default")};
  if (names_profile && !profile.is_there()) fail(to_text({"there is no profile \"", options.profile, "\""}));

  settings.region = first_of(options.region, from_environment("AWS_REGION"), from_environment("AWS_DEFAULT_REGION"),
                             profile.of("region"), "us-east-1");
  settings.endpoint = first_of(options.endpoint, from_environment("AWS_ENDPOINT_URL_S3"),
                               from_environment("AWS_ENDPOINT_URL"), profile.of("endpoint_url"));
  using Style = decltype(options.style);
  bool const is_automatic = options.style == Style::automatic;
  // Certificates of Amazon's do not cover a bucket's name with a dot.
  settings.has_bucket_in_path = is_automatic
                                    ? !settings.endpoint.empty() || settings.bucket.find('.') != std::string::npos
                                    : options.style == Style::path;
  if (settings.endpoint.empty()) settings.endpoint = "https://s3." + settings.region + ".amazonaws.com";

  auto const unsigned_too = from_environment("AWS_NO_SIGN_REQUEST");
  settings.is_anonymous = options.anonymous || unsigned_too == "YES" || unsigned_too == "true" || unsigned_too == "1";
  Credentials const of_environment{from_environment("AWS_ACCESS_KEY_ID"), from_environment("AWS_SECRET_ACCESS_KEY"),
                                   from_environment("AWS_SESSION_TOKEN")};
  Credentials const of_profile{profile.of("aws_access_key_id"), profile.of("aws_secret_access_key"),
                               profile.of("aws_session_token")};
  if (!options.access_key.empty())
    settings.given = {options.access_key, options.secret_key, options.session_token};
  else if (!names_profile && !of_environment.key.empty() && !of_environment.secret.empty())
    settings.given = of_environment;
  else if (!settings.is_anonymous && !profile.is_there() && !from_environment("AWS_PROFILE").empty())
    fail(to_text({"there is no profile \"", profile.name(), "\", which AWS_PROFILE names"}));
  else if (!settings.is_anonymous && profile.takes_role())  // another identity than the profile's would be used
    fail(to_text({"the profile \"", profile.name(), "\" takes a role from source_profile or credential_source, which "
                  "is not supported; let the credential_process of another profile be \"aws configure "
                  "export-credentials --profile ", profile.name(), "\""}));
  else if (!of_profile.key.empty() && !of_profile.secret.empty())
    settings.given = of_profile;
  settings.sign_on = {first_of(profile.of("sso_session"), profile.of("sso_start_url")), profile.of("sso_region"),
                      profile.of("sso_account_id"), profile.of("sso_role_name")};
  settings.process = profile.of("credential_process");
  settings.role = first_of(from_environment("AWS_ROLE_ARN"), profile.of("role_arn"));
  settings.role_session =
      first_of(from_environment("AWS_ROLE_SESSION_NAME"), profile.of("role_session_name"), "tessera");
  settings.token_file =
      first_of(from_environment("AWS_WEB_IDENTITY_TOKEN_FILE"), profile.of("web_identity_token_file"));
}

/// The same of Google's XML interface and of Azure's blobs.
template <class Options>
void find_others(Settings& settings, Options const& options) {
  bool const is_google = settings.kind == Kind::google;
  settings.region = first_of(options.region, "auto");
  settings.has_bucket_in_path = is_google ? options.style != decltype(options.style)::host : true;
  settings.endpoint = first_of(options.endpoint, is_google ? std::string{"https://storage.googleapis.com"}
                                                           : "https://" + settings.account + ".blob.core.windows.net");
  settings.is_anonymous = options.anonymous;
  settings.given = {is_google ? options.access_key : settings.account, options.secret_key, {}};
  settings.bearer = options.bearer;
  settings.sas = options.sas;
  if (settings.given.secret.empty() && settings.bearer.empty() && settings.sas.empty()) {
    settings.given.secret = from_environment(is_google ? "GS_SECRET_ACCESS_KEY" : "AZURE_STORAGE_KEY");
    if (is_google) settings.given.key = from_environment("GS_ACCESS_KEY_ID");
    if (is_google) settings.bearer = from_environment("GOOGLE_OAUTH_ACCESS_TOKEN");
    if (!is_google) settings.sas = from_environment("AZURE_STORAGE_SAS_TOKEN");
  }
  if (settings.sas.starts_with('?')) settings.sas.erase(0, 1);
}

/// `Options`: S3Options. Reads the environment and the files of profiles. Throws: StoreError.
template <class Options>
Settings settings_of(std::string_view address, Options options) {
  auto settings = settings_of_address(address);
  auto const fail = [&](std::string problem) { throw StoreError{std::move(problem)}.in_store(settings.name()); };
  if (settings.kind != Kind::azure && options.access_key.empty() != options.secret_key.empty())
    fail("found one of access_key and secret_key, expected both or neither");
  settings.kind == Kind::amazon ? find_amazons(settings, options) : find_others(settings, options);
  if (!is_for_headers({settings.bearer, settings.sas}) || !is_for_headers(settings.given) ||
      !is_for_headers({settings.region}))
    fail("found a credential, or a region, with a character that no header can have");

  constexpr std::uint64_t least_part = std::uint64_t{5} << 20, most_put = std::uint64_t{5} << 30;
  if (options.part_bytes < least_part || options.part_bytes > most_put)
    fail("found part_bytes out of range, expected 5 MiB to 5 GiB");
  if (options.multipart_above > most_put) fail("found multipart_above out of range, expected at most 5 GiB");
  if (options.lease < std::chrono::seconds{1} || options.lease > std::chrono::hours{24})
    fail("found a lease out of range, expected one second to one day");
  if (options.lock_patience.count() < 0) fail("found a lock_patience out of range, expected 0 or more");
  // Google takes larger values with one request, and its uploads in parts know no conditions.
  constexpr std::uint64_t most_of_azure = std::uint64_t{5000} << 20;
  settings.multipart_above = settings.kind == Kind::google  ? ~std::uint64_t{0}
                             : settings.kind == Kind::azure ? std::min(options.multipart_above, most_of_azure)
                                                            : options.multipart_above;
  settings.part_bytes = options.part_bytes;
  settings.one_writer = options.one_writer;
  settings.lease = options.lease;
  settings.lock_patience = options.lock_patience;
  settings.http = std::move(options.http);
  return settings;
}

}  // namespace s3
}}  // namespace tessera::v0
