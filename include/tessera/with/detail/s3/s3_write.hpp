// s3::condition_of: which value a write replaces. s3::PutTask: writes a value with one request.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/store/detail/value_changed.hpp>
#include <tessera/with/detail/curl/curl_task.hpp>
#include <tessera/with/detail/s3/s3_call.hpp>
#include <tessera/with/detail/s3/s3_site.hpp>
#include <tessera/with/detail/s3/s3_versions.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// The condition of a write by this thread: the version that it has read under the key's lock. Throws: ValueChanged;
/// StoreError, if the server did not say which it was.
inline Condition condition_of(Site const& site, HeldKeys const& held, Key const& key) {
  auto const* const seen = site.settings().one_writer ? nullptr : held.of_mine(key);
  if (seen && seen->is_mixed()) throw ValueChanged{};
  if (seen && seen->misses_version()) refuse_unknown_version();
  return seen ? seen->first() : std::nullopt;
}

/// What follows a refused condition: whether an earlier try, which had no answer, succeeded.
class ConditionalTask : public CallTask {
 public:
  ConditionalTask(Site const& site, Key const& key, Ask ask, Condition const& condition, std::string mark)
      : CallTask{site, key, std::move(ask), {200}}, condition_{condition}, mark_{std::move(mark)} {}

  http::Request begin() final {
    if (!is_looking_) return CallTask::begin();
    begin_body();
    return site().request({.method = "HEAD", .path = ask().path});
  }
  http::TaskEnd end(http::Response const& given) final {
    auto const response = in_amazons_terms(site().kind(), given);
    auto const status = response.status;
    if (is_looking_) {
      keep(response);
      auto const expected = found_or_missing(site());
      if (std::ranges::find(expected, status) == expected.end())
        return is_passing(site(), status, {}) ? http::TaskEnd::may_pass : http::TaskEnd::refused;
      is_refused_ = status != 200 || response.of_own(site().names().mark) != mark_;
      return http::TaskEnd::done;
    }
    bool const is_gone = status == 404 && (condition_ ? condition_->is_there() : false) && !is_no_bucket();
    if ((condition_ && status == 412) || is_gone || is_lost(status)) {
      // Also after the first try: cURL itself sends a request again if a connection that it kept ends without answer.
      if (!mark_.empty()) return is_looking_ = true, http::TaskEnd::next;
      keep(response);
      is_refused_ = true;
      return http::TaskEnd::done;
    }
    return CallTask::end(response);
  }

  /// Throws: ValueChanged, if the condition did not hold.
  void expect_written() const {
    if (is_refused_) throw ValueChanged{};
  }
  /// Of the value written; nullopt: the server does not say.
  std::optional<Version> version() const { return version_of(site().kind(), response()); }

 private:
  bool is_no_bucket() const { return xml::text_of(body(), "Code") == "NoSuchBucket"; }
  // Whether a request that can be done once was done before.
  virtual bool is_lost(long) const { return false; }

  Condition condition_;
  std::string mark_;
  bool is_looking_ = false, is_refused_ = false;
};

class PutTask final : public ConditionalTask {
 public:
  PutTask(Site const& site, Key const& key, ByteView<space::Host> value, Condition const& condition,
          std::string const& mark)
      : ConditionalTask{site, key, ask_of(site, key, value, condition, mark), condition, mark} {}

 private:
  static Ask ask_of(Site const& site, Key const& key, ByteView<space::Host> value, Condition const& condition,
                    std::string const& mark) {
    Ask ask{.method = "PUT", .path = site.path_of(key.path), .body = value};
    add_condition(site.kind(), ask.headers, condition);
    // If the answer is lost, the write is recognised by its mark.
    if (condition) ask.headers.emplace_back(site.names().mark, mark);
    return ask;
  }
};

}  // namespace s3
}}  // namespace tessera::v0
