// HttpOptions and http::Site: what all requests to a server share.
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#if !__has_include(<curl/curl.h>)
#error "tessera/with/curl.hpp needs libcurl: on Debian or Ubuntu, apt install libcurl4-openssl-dev"
#endif
#include <curl/curl.h>

#include <tessera/core/error.hpp>
#include <tessera/with/detail/curl/curl_answer_times.hpp>
#include <tessera/with/detail/curl/curl_pace.hpp>
#include <tessera/with/detail/curl/curl_task.hpp>
#include <tessera/with/detail/curl/curl_url.hpp>

namespace tessera { inline namespace v0 {

/// Options of an HttpStore.
struct HttpOptions {
  /// Sent with each request: "Authorization: Bearer ...". After a redirection to another host, Authorization and Cookie
  /// are not sent; others are.
  std::vector<std::string> headers{};
  /// Status codes that mean that a key is missing. A bucket whose keys may not be listed answers 403: {403, 404}.
  std::vector<long> missing{404, 410};
  /// Requests in progress, in all threads that use copies of a store. They begin with `first_at_once`; each answer that
  /// begins, and whose connection stays open, allows one more, and refusals halve them.
  std::size_t most_at_once = 64;
  std::size_t first_at_once = 4;  ///< requests in progress at the beginning; 1 or more
  /// A request fails if it gets no connection for this long, or then fewer bytes per second than `least_rate`.
  std::chrono::seconds patience{30};
  std::uint32_t least_rate = 100;     ///< bytes per second of each request's body; 1 or more
  unsigned retries = 3;               ///< of a request with a transient failure, or an answer that reports one
  /// Before the first retry; twice as long before each further one, but not longer than `patience`.
  std::chrono::milliseconds pause{200};
  /// A read that has no answer after this time is requested a second time, over another connection; the first answer
  /// counts, and the other request is ended. If one fails, there is no third. 0: never.
  std::chrono::milliseconds hedge_after{0};
  /// The same, after the time within which this percentage of the store's last 128 reads had an answer, such as 95; not
  /// before 20 of them, nor before `hedge_after`. 1 to 99; 0: by `hedge_after` alone.
  unsigned hedge_percent = 0;
  std::string certificates{};  ///< a file of trusted certificates; empty: the system's
};

namespace http {

/// Shared by the copies of a store.
struct Site {
  explicit Site(std::string address, HttpOptions given) : url{std::move(address)}, options{std::move(given)} {
    // Initialises cURL for the whole program; not thread-safe in older versions.
    static auto const library = ::curl_global_init(CURL_GLOBAL_DEFAULT);
    if (library != CURLE_OK) fail(::curl_easy_strerror(library));
    if (options.most_at_once == 0) fail("found most_at_once 0, expected 1 or more");
    if (options.first_at_once == 0) fail("found first_at_once 0, expected 1 or more");
    if (options.least_rate == 0) fail("found least_rate 0, expected 1 or more, so that every request ends");
    if (options.patience < std::chrono::seconds{1} || options.patience > std::chrono::hours{24})
      fail("found a patience out of range, expected one second to one day");
    if (options.hedge_after.count() < 0) fail("found a hedge_after below 0, expected 0 or more");
    if (options.hedge_percent > 99)
      fail(to_text({"found hedge_percent ", options.hedge_percent, ", expected 0 to 99"}));
    if (options.pause.count() < 0 || options.pause > options.patience)
      fail("found a pause out of range, expected 0 to the patience");
    if (options.certificates.find('\0') != std::string::npos)
      fail(to_text({"found a zero byte in certificates, \"", options.certificates, "\", expected a path"}));
    add_header(headers, "Accept-Encoding: identity");
    for (auto const& header : options.headers) {
      if (header.find_first_of("\r\n\0", 0, 3) != header.npos || header.find(':') == header.npos)
        fail("found a header that is not a line \"name: value\"");
      add_header(headers, header);
    }
  }

  /// The store's address, its options, the headers of each request, the number of requests at once, and how long
  /// answers take.
  Url url;
  HttpOptions options;
  Headers headers{};
  mutable Pace pace{options.first_at_once, options.most_at_once};
  mutable AnswerTimes answer_times{};

 private:
  [[noreturn]] void fail(std::string problem) const { throw StoreError{std::move(problem)}.in_store(url.name()); }
};

}  // namespace http
}}  // namespace tessera::v0
