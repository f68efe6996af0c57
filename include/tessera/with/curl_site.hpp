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
  std::vector<std::string> headers{};  ///< sent with each request: "Authorization: Bearer ..."
  /// A key that the server answers with one of these is not there. A bucket whose keys not everybody may list answers
  /// 403: {403, 404}.
  std::vector<long> missing{404, 410};
  std::size_t most_at_once = 32;     ///< requests under way, of one batch
  std::chrono::seconds patience{30}; ///< a request has failed that gets no connection, or then no byte, for so long
  unsigned retries = 3;              ///< of a request that failed in a way that may pass, or was answered so
  std::chrono::milliseconds pause{200};  ///< before the first of them; before each further one twice as long
  std::string certificates{};        ///< a file of those that are trusted; empty: the system's
};

namespace http {

/// Shared by the copies of a store, and never changed.
struct Site {
  explicit Site(std::string address, HttpOptions given) : url{std::move(address)}, options{std::move(given)} {
    // It keeps what it needs for the whole program, and is not thread-safe in older versions.
    [[maybe_unused]] static auto const library = ::curl_global_init(CURL_GLOBAL_DEFAULT);
    if (options.most_at_once == 0) throw StoreError{"found most_at_once 0, expected 1 or more"}.in_store(url.name());
    for (auto const& header : options.headers) {
      if (header.find_first_of("\r\n") != header.npos || header.find(':') == header.npos)
        throw StoreError{"found a header that is no line of \"name: value\""}.in_store(url.name());
      auto* const longer = ::curl_slist_append(headers.get(), header.c_str());
      if (!longer) throw std::bad_alloc{};
      static_cast<void>(headers.release());
      headers.reset(longer);
    }
  }

  struct FreeList {
    void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
  };

  Url url;
  HttpOptions options;
  std::unique_ptr<curl_slist, FreeList> headers{};
};

}  // namespace http
}}  // namespace tessera::v0
