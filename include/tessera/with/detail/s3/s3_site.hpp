// s3::Site: a bucket's server, and how requests to it are addressed and signed. Shared by the copies of a store.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/store/detail/schemes.hpp>
#include <tessera/with/detail/curl/curl_batch.hpp>
#include <tessera/with/detail/curl/curl_options.hpp>
#include <tessera/with/detail/curl/curl_task.hpp>
#include <tessera/with/detail/s3/s3_azure.hpp>
#include <tessera/with/detail/s3/s3_kinds.hpp>
#include <tessera/with/detail/s3/s3_lent.hpp>
#include <tessera/with/detail/s3/s3_roles.hpp>
#include <tessera/with/detail/s3/s3_settings.hpp>
#include <tessera/with/detail/s3/s3_sign.hpp>
#include <tessera/with/detail/s3/s3_xml.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// A request before it is signed.
struct Ask {
  std::string method = "GET";
  std::string path{};  ///< the object's whole name; empty: the bucket
  Pairs query{};
  Pairs headers{};  ///< names in lower case
  ByteView<space::Host> body{};
  std::string range{};
};

class Site {
 public:
  explicit Site(Settings given)
      : settings_{std::move(given)}, web_{address_of(settings_), settings_.http} {
    auto const& root = web_.url.root();
    auto const authority = root.find("://") + 3, path = std::min(root.find('/', authority), root.size());
    server_ = root.substr(0, path);
    base_ = root.substr(path);
    host_ = root.substr(authority, path - authority);
    if (host_.find('@') != host_.npos)
      throw StoreError{"found an endpoint with a user, expected keys in S3Options"}.in_store(settings_.name());
    std::string_view const usual = web_.url.is_secure() ? ":443" : ":80";
    if (host_.ends_with(usual)) host_.resize(host_.size() - usual.size());
  }

  Settings const& settings() const { return settings_; }
  Kind kind() const { return settings_.kind; }
  Names names() const { return names_of(settings_.kind); }
  http::Site const& web() const { return web_; }
  /// In messages.
  std::string name() const { return to_text({settings_.name(), " at ", server_, base_}); }
  /// The object of a key.
  std::string path_of(std::string_view key) const {
    return settings_.folder.empty() ? std::string{key} : to_text({settings_.folder, "/", key});
  }

  /// Signs it, unless requests are anonymous. Throws: StoreError, if there are no credentials.
  http::Request request(Ask const& ask) const {
    auto path = base_;
    if (settings_.has_bucket_in_path) path += '/' + settings_.bucket;
    if (!ask.path.empty()) path += '/' + http::percent_encoded(ask.path, "/");
    if (path.empty()) path = "/";
    auto const query = query_text(ask.query);
    http::Request result{.url = server_ + path + (query.empty() ? "" : "?" + query),
                         .method = ask.method,
                         .range = ask.range,
                         .body = ask.body,
                         .follows_redirections = false};
    add_usual_headers(result, ask);
    if (settings_.kind == Kind::azure) {
      add_azures(result, ask, path);
      return result;
    }
    if (!settings_.bearer.empty() && !settings_.is_anonymous) {
      http::add_header(result.headers, "Authorization: Bearer " + settings_.bearer);
      return result;
    }
    auto const credentials = this->credentials();
    if (credentials.key.empty()) return result;
    // Over TLS the body needs no digest: nothing changes it on its way.
    auto const payload = web_.url.is_secure() && ask.body.size > 0 ? std::string{"UNSIGNED-PAYLOAD"}
                                                                   : hex(sha256(ask.body.data, ask.body.size));
    auto const time = time_text(std::chrono::system_clock::now());
    std::string const own{names().prefix};
    std::map<std::string, std::string> headers{
        {"host", host_}, {own + "content-sha256", payload}, {own + "date", time}};
    if (!credentials.token.empty()) headers.emplace(own + "security-token", credentials.token);
    for (auto const& [name, value] : headers)
      if (name != "host") http::add_header(result.headers, name + ": " + value);
    for (auto const& [name, value] : ask.headers)
      if (name.starts_with(own)) headers.emplace(name, value);
    add_own_of_options(headers);
    auto const& by = settings_.kind == Kind::google ? google_signer : amazon_signer;
    http::add_header(result.headers,
                     "Authorization: " + authorization(credentials, settings_.region, time,
                                                       {ask.method, path, query, headers, payload}, by));
    return result;
  }
  /// The request at another address, where a redirection leads: without signature, token and the site's own headers.
  http::Request request_elsewhere(std::string address, Ask const& ask) const {
    bool const is_secure = address.starts_with("https://");
    if (web_.url.is_secure() && !is_secure) throw StoreError{"the server redirects to an address without TLS"};
    if (!is_secure && !address.starts_with("http://"))
      throw StoreError{"the server redirects to an address that is not of http"};
    http::Request result{
        .url = std::move(address), .method = ask.method, .range = ask.range, .follows_redirections = false};
    http::add_header(result.headers, "Accept-Encoding: identity");
    for (auto const& [name, value] : ask.headers)
      if (!name.starts_with(names().prefix)) http::add_header(result.headers, name + ": " + value);
    return result;
  }

  /// Throws: StoreError, if there are none. Waits for a server that lends them, about once an hour.
  Credentials credentials() const {
    if (settings_.is_anonymous) return {};
    if (!settings_.given.key.empty()) return settings_.given;
    if (settings_.kind != Kind::amazon)
      throw StoreError{
          "found no key and no token in S3Options and environment; set S3Options::anonymous to read what is public"};
    std::lock_guard lock{mutex_};
    return lent_.at(std::chrono::system_clock::now(), [&] { return lent_credentials(settings_); });
  }
  /// Without secrets: empty, if it has one of the site's.
  std::string without_secrets(std::string text) const {
    auto const signature = signature_in(settings_.sas), decoded = detail::percent_decoded(signature).value_or("");
    for (auto const* secret : {&settings_.bearer, &settings_.sas, &signature, &decoded})
      if (!secret->empty() && text.find(*secret) != text.npos) return {};
    std::lock_guard lock{mutex_};
    for (auto const* credentials : {&settings_.given, &lent_.kept()})
      for (auto const* secret : {&credentials->secret, &credentials->token})
        if (!secret->empty() && text.find(*secret) != text.npos) return {};
    return text;
  }
  /// The server says that they have expired. False: it cannot be helped.
  bool renew_credentials() const {
    if (settings_.is_anonymous || !settings_.given.key.empty() || settings_.kind != Kind::amazon) return false;
    std::lock_guard lock{mutex_};
    lent_.forget();
    return true;  // also if another request has renewed them
  }

  /// Runs tasks without a queue, for calls that have none. Throws: as Batch::run.
  void run(std::span<http::Task* const> tasks, std::span<Stop const> stops = {}) const {
    auto batch = take_batch();
    batch->run(web_, tasks, stops, web_.options.most_at_once);
    std::lock_guard lock{mutex_};
    batches_.push_back(std::move(batch));
  }

  /// A text that no other call of any program returns.
  static std::string unique() {
    std::random_device random;  // a generator seeded with one number of it would repeat that of another program
    std::string text = std::to_string(::getpid());
    for (int i = 0; i < 4; ++i) text += '-' + std::to_string(random());
    return text;
  }

 private:
  // The secret of a shared access signature, which a server may name alone.
  static std::string signature_in(std::string const& sas) {
    for (std::size_t at = 0, end = 0; at < sas.size(); at = end + 1) {
      end = std::min(sas.find('&', at), sas.size());
      if (auto const member = sas.substr(at, end - at); member.starts_with("sig=")) return member.substr(4);
    }
    return {};
  }
  static std::string address_of(Settings const& settings) {
    if (settings.has_bucket_in_path) return settings.endpoint;
    auto const at = settings.endpoint.find("://");
    if (at == std::string::npos) return settings.endpoint;
    return settings.endpoint.substr(0, at + 3) + settings.bucket + '.' + settings.endpoint.substr(at + 3);
  }

  // Those of the program's headers that the server expects to be signed.
  void add_own_of_options(std::map<std::string, std::string>& headers) const {
    for (auto const& line : web_.options.headers) {
      auto const colon = std::min(line.find(':'), line.size());
      auto name = line.substr(0, colon);
      std::ranges::transform(name, name.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; });
      auto const begin = line.find_first_not_of(" \t", colon + 1), end = line.find_last_not_of(" \t");
      if (name.starts_with(names().prefix) && begin != line.npos)
        headers.emplace(name, line.substr(begin, end - begin + 1));
    }
  }

  // A shared access signature is a part of the query; an account's key, or a token, makes a header.
  void add_azures(http::Request& request, Ask const& ask, std::string const& path) const {
    std::map<std::string, std::string> headers{{"x-ms-version", azure_version},
                                               {"x-ms-date", web_time(std::chrono::system_clock::now())}};
    if (ask.method == "PUT" && ask.query.empty()) headers.emplace("x-ms-blob-type", "BlockBlob");
    for (auto const& [name, value] : headers) http::add_header(request.headers, name + ": " + value);
    if (settings_.is_anonymous) return;
    if (!settings_.bearer.empty())
      return http::add_header(request.headers, "Authorization: Bearer " + settings_.bearer);
    if (!settings_.sas.empty()) {
      request.url += (ask.query.empty() ? '?' : '&') + settings_.sas;
      return;
    }
    if (settings_.given.secret.empty())
      throw StoreError{
          "found no key of the account, no SAS and no token in S3Options and environment; set S3Options::anonymous to "
          "read what is public"};
    for (auto const& [name, value] : ask.headers) headers.emplace(name, value);
    add_own_of_options(headers);
    if (ask.method == "PUT") headers.emplace("content-type", "application/octet-stream");
    if (!ask.range.empty()) headers.emplace("range", "bytes=" + ask.range);
    http::add_header(request.headers,
                     "Authorization: " + shared_key(settings_.account, settings_.given.secret,
                                                    {ask.method, path, ask.query, headers, ask.body.size}));
  }

  void add_usual_headers(http::Request& request, Ask const& ask) const {
    for (auto const* line = web_.headers.get(); line; line = line->next) http::add_header(request.headers, line->data);
    for (auto const& [name, value] : ask.headers) http::add_header(request.headers, name + ": " + value);
    if (ask.method != "PUT" && ask.method != "POST") return;
    http::add_header(request.headers, "Content-Type: application/octet-stream");
    http::add_header(request.headers, "Expect:");  // cURL would wait for leave to send
  }

  std::unique_ptr<http::Batch> take_batch() const {
    std::lock_guard lock{mutex_};
    if (batches_.empty()) return std::make_unique<http::Batch>();
    auto batch = std::move(batches_.back());
    batches_.pop_back();
    return batch;
  }

  Settings const settings_;
  http::Site const web_;
  std::string server_, base_, host_;  // "https://host:port", "/path", and as the header Host
  std::mutex mutable mutex_;
  LentCredentials mutable lent_;
  std::vector<std::unique_ptr<http::Batch>> mutable batches_;  // with their connections
};

/// What a refusal says: the error's code, its message and the request's number; begins with a space. Shows no secret.
inline std::string explained(Site const& site, http::Response const& response, std::string_view body) {
  auto const shown = [&](std::string text, std::size_t most) {
    text = site.without_secrets(std::move(text));
    if (text.size() > most) text.resize(most);
    for (char& c : text)
      if (static_cast<unsigned char>(c) < ' ') c = ' ';
    return text;
  };
  auto const code = shown(xml::text_of(body, "Code"), 100), message = shown(xml::text_of(body, "Message"), 300);
  auto number = shown(std::string{response.of_own(site.names().request)}, 100);
  if (number.empty()) number = shown(xml::text_of(body, "RequestId"), 100);
  std::string text;
  if (!code.empty()) text += " " + code;
  if (!message.empty()) text += ": " + message;
  if (auto const region = shown(std::string{response.of_own("x-amz-bucket-region")}, 100);
      !region.empty() && region != site.settings().region)
    text += to_text({", the bucket is in region ", region, ", not ", site.settings().region});
  if (!number.empty()) text += ", request " + number;
  return text;
}

/// Whether a refusal may pass. `code`: of the error, or empty.
inline bool is_passing(Site const& site, long status, std::string_view code) {
  if (code == "ExpiredToken" || code == "ExpiredTokenException") return site.renew_credentials();
  return http::may_pass(status) || code == "SlowDown" || code == "RequestTimeout" || code == "InternalError" ||
         code == "ServiceUnavailable" || code == "ConditionalRequestConflict" || code == "OperationAborted";
}

/// Whether an answer of a status in HttpOptions::missing says that a key is missing. Servers refuse keys that may not
/// be listed with 403 AccessDenied; other codes of 403 say that the request is wrong: its signature, its time.
inline bool is_of_missing_key(long status, std::string_view code) {
  return code != "NoSuchBucket" && (status != 403 || code.empty() || code == "AccessDenied");
}

}  // namespace s3
}}  // namespace tessera::v0
