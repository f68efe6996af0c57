// s3::ReadTask: reads a value of a bucket, or ranges of it; later reads of one value are conditional on its version.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/store/detail/value_changed.hpp>
#include <tessera/with/detail/curl/curl_read.hpp>
#include <tessera/with/detail/curl/curl_task.hpp>
#include <tessera/with/detail/s3/s3_site.hpp>
#include <tessera/with/detail/s3/s3_versions.hpp>
#include <tessera/with/detail/s3/s3_xml.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

class ReadTask final : public http::ReadTask {
  static constexpr std::size_t most_explained = std::size_t{64} << 10;  // bytes of a refusal
  static constexpr int most_redirections = 10;

 public:
  ReadTask(Site const& site, HeldKeys& held, Watches const& watches, http::Asked asked)
      : http::ReadTask{asked}, site_{site}, held_{held}, watched_{watches.of(asked.first().watch)} {
    auto const* const mine = held.of_mine(key());
    if (watched_)
      expected_ = watched_->first();
    else if (mine)
      expected_ = mine->first();
    if (expected_ && !expected_->is_there()) expected_.reset();
    if (!watched_) return;
    for (auto const& range : asked.run) asked.requests[range.request].is_of_watch = true;
  }

  http::Request begin() override {
    begin_body();
    has_begun_ = false;
    refusal_.clear();
    Ask ask{.path = site_.path_of(key().path), .range = range_text()};
    if (is_sizing_) ask.method = "HEAD", ask.range.clear();
    add_condition(site_.kind(), ask.headers, expected_);
    return elsewhere_.empty() ? site_.request(ask) : site_.request_elsewhere(elsewhere_, ask);
  }
  bool take(http::Response const& response, std::span<char const> bytes) override {
    if (response.status == 200 || response.status == 206) {
      if (!has_begun_) saw(version_of(site_.kind(), response));  // a second try may be of another value
      has_begun_ = true;
      return http::ReadTask::take(of_part(response), bytes);
    }
    refusal_.append(bytes.data(), std::min(bytes.size(), most_explained - refusal_.size()));
    return refusal_.size() < most_explained;
  }
  http::TaskEnd end(http::Response const& response) override {
    using http::TaskEnd;
    auto const status = response.status;
    if (is_sizing_ ? status == 200 && end_beyond(response.length) : end_value(of_part(response))) {
      auto const version = version_of(site_.kind(), response);
      if (!has_begun_ && (version || status != 416)) saw(version);  // a refused range has none
      return TaskEnd::done;
    }
    if (status == 412 && expected_) {
      if (!watched_) throw ValueChanged{};
      watched_->mix();  // the reader starts anew; meanwhile any version will do
      expected_.reset();
      return TaskEnd::next;
    }
    if (!response.redirection.empty() && ++redirections_ <= most_redirections) {
      elsewhere_ = response.redirection;
      return TaskEnd::next;
    }
    auto const code = xml::text_of(refusal_, "Code");
    if (status == 416 && !response.range) {  // buckets tell the size in their own way, if at all
      auto const text = xml::text_of(refusal_, "ActualObjectSize");
      std::uint64_t size = 0;
      auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
      if (error == std::errc{} && end_beyond(size)) return TaskEnd::done;
      if (error != std::errc{} && !is_sizing_) return is_sizing_ = true, TaskEnd::next;
    }
    auto const& missing = site_.settings().http.missing;
    if (std::ranges::find(missing, status) != missing.end() && is_of_missing_key(status, code))
      return saw(Version{}), end_missing(), TaskEnd::done;
    return is_passing(site_, status, code) ? TaskEnd::may_pass : TaskEnd::refused;
  }
  std::string why(http::Response const& response) const override { return explained(site_, response, refusal_); }

 private:
  // rclone sends parts with status 200.
  http::Response of_part(http::Response response) const {
    if (response.status == 200 && response.range && !range_text().empty()) response.status = 206;
    return response;
  }
  // The range begins at the end of the value, or behind it, which throws.
  bool end_beyond(std::optional<std::uint64_t> size) {
    http::Response told;
    told.status = 416;
    told.range = http::ContentRange{0, 0, size};
    return end_value(told);
  }
  void saw(std::optional<Version> const& version) {
    held_.saw(key(), version);
    if (watched_ && version) watched_->add(*version);
  }

  Site const& site_;
  HeldKeys& held_;
  Seen* watched_;
  std::optional<Version> expected_;
  std::string refusal_, elsewhere_;
  int redirections_ = 0;
  bool is_sizing_ = false, has_begun_ = false;
};

}  // namespace s3
}}  // namespace tessera::v0
