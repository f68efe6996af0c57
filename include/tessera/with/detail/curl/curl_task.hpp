// http::Task: one request to a server, and what becomes of its answer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>

#include <curl/curl.h>

#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/with/detail/curl/curl_response.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// Frees a list of headers.
struct FreeList {
  /// Also of null.
  void operator()(curl_slist* list) const { ::curl_slist_free_all(list); }
};
/// Lines "name: value".
using Headers = std::unique_ptr<curl_slist, FreeList>;
/// Throws: std::bad_alloc.
inline void add_header(Headers& headers, std::string const& line) {
  auto* const longer = ::curl_slist_append(headers.get(), line.c_str());
  if (!longer) throw std::bad_alloc{};
  static_cast<void>(headers.release());
  headers.reset(longer);
}

/// As sent to a server.
struct Request {
  std::string url;
  std::string method = "GET";         ///< PUT and POST have a body
  std::string range{};                ///< "0-99"; empty: the whole value
  Headers headers{};                  ///< instead of those of the site, if any
  ByteView<space::Host> body{};       ///< lives until the answer
  bool follows_redirections = true;   ///< false: a redirection is an answer
};

/// What a task makes of an answer.
enum class TaskEnd {
  done,      ///< it has what it wanted
  next,      ///< it needs another request, which is no retry
  may_pass,  ///< refused, but perhaps not the next time
  refused,   ///< an error
};

/// Lives until it is done. Errors of its requests name its key.
class Task {
 public:
  virtual ~Task() = default;

  virtual Key const& key() const = 0;
  /// For each try. What arrived before is forgotten.
  virtual Request begin() = 0;
  /// Bytes of the body. False: no more are wanted. Called once the header is complete.
  virtual bool take(Response const& response, std::span<char const> bytes) = 0;
  /// The answer is complete, or as much of it as `take` wanted. Throws: StoreError; exceptions of a destination.
  virtual TaskEnd end(Response const& response) = 0;
  /// The task is done; the other requests wait meanwhile. Returns whether it is to be called again, when they were
  /// looked at: what is not read for long fills its connection's window. Throws: exceptions of a reader.
  virtual bool tell() { return false; }
  /// Bytes of the body, at most; 0: not known.
  virtual std::uint64_t most() const { return 0; }
  /// Whether the request may be sent again if its answer was lost, or says that it may pass.
  virtual bool may_repeat() const { return true; }
  /// Whether a second request for the same may be under way at once. Until one of the two has an answer, `begin` was
  /// called for both.
  virtual bool may_hedge() const { return false; }
  /// Why the server refused, for messages; begins with a space. Never shows a secret.
  virtual std::string why(Response const&) const { return {}; }
};

/// Answers that a server may give once, and not again.
inline bool may_pass(long status) {
  return status == 408 || status == 429 || status == 500 || status == 502 || status == 503 || status == 504;
}

}  // namespace http
}}  // namespace tessera::v0
