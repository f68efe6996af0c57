// s3::CallTask: a request to a bucket whose answer is kept as a whole.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <tessera/key/key.hpp>
#include <tessera/with/detail/curl/curl_call.hpp>
#include <tessera/with/detail/curl/curl_task.hpp>
#include <tessera/with/detail/s3/s3_site.hpp>
#include <tessera/with/detail/s3/s3_xml.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// How often a request is sent.
enum class Sent {
  until_answered,
  once,  ///< again only if the server says that it did nothing, because there are too many requests
};
/// Whether `<Error>` in the body of an answer 200 is a refusal, or tells of a part of the request.
enum class ErrorInside { is_refusal, is_answer };

class CallTask : public http::Call {
 public:
  /// Every status but these is an error.
  CallTask(Site const& site, Key key, Ask ask, std::vector<long> expected, Sent sent = Sent::until_answered,
           ErrorInside error = ErrorInside::is_refusal)
      : http::Call{std::move(key)},
        site_{site},
        ask_{std::move(ask)},
        expected_{std::move(expected)},
        sent_{sent},
        error_inside_{error} {}

  http::Request begin() override {
    begin_body();
    ++tries_;
    is_slowed_ = false;
    return site_.request(ask_);
  }
  http::TaskEnd end(http::Response const& given) override {
    auto const response = in_amazons_terms(site_.kind(), given);
    keep(response);
    // A server that has begun to answer 200 can only report an error in the body.
    bool const is_error = error_inside_ == ErrorInside::is_refusal && response.status == 200 &&
                          body().find("<Error>") != std::string::npos;
    if (!is_error && std::ranges::find(expected_, response.status) != expected_.end()) return http::TaskEnd::done;
    auto const code = xml::text_of(body(), "Code");
    is_slowed_ = response.status == 429 || code == "SlowDown";
    return is_passing(site_, response.status, code) ? http::TaskEnd::may_pass : http::TaskEnd::refused;
  }
  bool may_repeat() const override { return sent_ == Sent::until_answered || is_slowed_; }
  std::string why(http::Response const& response) const override { return explained(site_, response, body()); }

  long status() const { return response().status; }
  /// Whether an earlier try may have been done, although its answer was lost.
  bool was_repeated() const { return tries_ > 1; }

 protected:
  Site const& site() const { return site_; }
  Ask& ask() { return ask_; }

 private:
  Site const& site_;
  Ask ask_;
  std::vector<long> expected_;
  Sent sent_;
  ErrorInside error_inside_;
  unsigned tries_ = 0;
  bool is_slowed_ = false;
};

/// The statuses of an answer that says whether there is an object, or which: 200, or that it is missing.
inline std::vector<long> found_or_missing(Site const& site) {
  auto expected = site.settings().http.missing;
  expected.push_back(404);  // of locks and versions, whatever the reader of values takes it for
  expected.push_back(200);
  return expected;
}

/// Sends one request, without a queue. Throws: StoreError; Cancelled.
inline CallTask call(Site const& site, Key const& key, Ask ask, std::vector<long> expected,
                     Sent sent = Sent::until_answered, Stop stop = nullptr,
                     ErrorInside error = ErrorInside::is_refusal) {
  CallTask task{site, key, std::move(ask), std::move(expected), sent, error};
  http::Task* const one = &task;
  site.run({&one, 1}, {&stop, stop ? 1U : 0U});
  return task;
}

}  // namespace s3
}}  // namespace tessera::v0
