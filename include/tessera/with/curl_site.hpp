// What all requests to a server have in common.
#pragma once
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#if !__has_include(<curl/curl.h>)
#error "tessera/with/curl.hpp needs libcurl: on Debian or Ubuntu, apt install libcurl4-openssl-dev"
#endif
#include <curl/curl.h>

#include <tessera/core/error.hpp>
#include <tessera/with/curl_url.hpp>

namespace tessera { inline namespace v0 {

struct HttpOptions {
  /// Sent with each request: "Authorization: Bearer ...". To another host, which an answer leads to, Authorization and
  /// Cookie are not sent; others are.
  std::vector<std::string> headers{};
  /// A key that the server answers with one of these is not there. A bucket whose keys not everybody may list answers
  /// 403: {403, 404}.
  std::vector<long> missing{404, 410};
  std::size_t most_at_once = 64;      ///< requests under way, of all threads of a queue; each thread has one at least
  std::chrono::seconds patience{30};  ///< a request has failed that gets no connection, or then no byte, for so long
  unsigned retries = 3;               ///< of a request that failed in a way that may pass, or was answered so
  /// Before the first of them; before each further one twice as long, but not longer than `patience`.
  std::chrono::milliseconds pause{200};
  std::string certificates{};  ///< a file of those that are trusted; empty: the system's
};

namespace http {

/// Shared by the copies of a store, and never changed.
struct Site {
  explicit Site(std::string address, HttpOptions given) : url{std::move(address)}, options{std::move(given)} {
    // It keeps what it needs for the whole program, and is not thread-safe in older versions.
    static auto const library = ::curl_global_init(CURL_GLOBAL_DEFAULT);
    if (library != CURLE_OK) fail(::curl_easy_strerror(library));
    if (options.most_at_once == 0) fail("found most_at_once 0, expected 1 or more");
    if (options.patience < std::chrono::seconds{1} || options.patience > std::chrono::hours{24})
      fail("found a patience that is not from a second to a day");
    if (options.pause.count() < 0 || options.pause > options.patience)
      fail("found a pause that is not from 0 to the patience");
    add_header("Accept-Encoding: identity");
    for (auto const& header : options.headers) {
      if (header.find_first_of("\r\n") != header.npos || header.find(':') == header.npos)
        fail("found a header that is no line of \"name: value\"");
      add_header(header);
    }
  }

  struct FreeList {
    void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
  };

  Url url;
  HttpOptions options;
  std::unique_ptr<curl_slist, FreeList> headers{};

 private:
  [[noreturn]] void fail(std::string problem) const { throw StoreError{std::move(problem)}.in_store(url.name()); }
  void add_header(std::string const& header) {
    auto* const longer = ::curl_slist_append(headers.get(), header.c_str());
    if (!longer) throw std::bad_alloc{};
    static_cast<void>(headers.release());
    headers.reset(longer);
  }
};

}  // namespace http
}}  // namespace tessera::v0
