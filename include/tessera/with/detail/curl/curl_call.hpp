// http::Call: a request whose answer is kept as a whole.
#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/with/detail/curl/curl_response.hpp>
#include <tessera/with/detail/curl/curl_task.hpp>

namespace tessera { inline namespace v0 {
namespace http {

class Call : public Task {
 public:
  static constexpr std::size_t most_kept = std::size_t{64} << 20;  ///< bytes of a body

  /// Errors name the key.
  explicit Call(Key key) : key_{std::move(key)} {}

  Key const& key() const final { return key_; }
  bool take(Response const&, std::span<char const> bytes) final {
    if (bytes.size() > most_kept - body_.size())
      throw StoreError{to_text({"the server answered with more than ", most_kept, " bytes"})};
    body_.append(bytes.data(), bytes.size());
    return true;
  }

  /// Of the answer.
  Response const& response() const { return response_; }
  std::string const& body() const { return body_; }

 protected:
  void begin_body() { body_.clear(); }
  void keep(Response const& response) { response_ = response; }

 private:
  Key const key_;
  Response response_;
  std::string body_;
};

/// A request that needs an answer of status 200.
class PlainCall final : public Call {
 public:
  PlainCall(Key key, std::function<Request()> make) : Call{std::move(key)}, make_{std::move(make)} {}

  Request begin() override {
    begin_body();
    return make_();
  }
  TaskEnd end(Response const& response) override {
    keep(response);
    if (response.status == 200) return TaskEnd::done;
    return may_pass(response.status) ? TaskEnd::may_pass : TaskEnd::refused;
  }

 private:
  std::function<Request()> make_;
};

}  // namespace http
}}  // namespace tessera::v0
