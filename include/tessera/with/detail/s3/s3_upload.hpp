// s3::upload: writes a large value part by part; the value appears when all parts are there.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tessera/core/error.hpp>
#include <tessera/key/key.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/with/detail/curl/curl_batch.hpp>
#include <tessera/with/detail/curl/curl_task.hpp>
#include <tessera/with/detail/s3/s3_call.hpp>
#include <tessera/with/detail/s3/s3_site.hpp>
#include <tessera/with/detail/s3/s3_versions.hpp>
#include <tessera/with/detail/s3/s3_write.hpp>
#include <tessera/with/detail/s3/s3_xml.hpp>

namespace tessera { inline namespace v0 {
namespace s3 {

/// Bytes of each part but the last: a value has at most 10,000 parts.
inline std::uint64_t part_size(std::uint64_t size, std::uint64_t wanted) {
  constexpr std::uint64_t most_parts = 10'000, mib = std::uint64_t{1} << 20;
  auto const least = (size + most_parts - 1) / most_parts;
  return std::max(wanted, (least + mib - 1) / mib * mib);
}

/// Ends an upload; a second try of one that succeeded finds no upload.
class CompleteTask final : public ConditionalTask {
 public:
  using ConditionalTask::ConditionalTask;

 private:
  bool is_lost(long status) const override {
    return status == 404 && was_repeated() && xml::text_of(body(), "Code") == "NoSuchUpload";
  }
};

/// Returns the version of the value written. An upload that fails is aborted. Throws: StoreError; ValueChanged;
/// Cancelled.
inline std::optional<Version> upload(Site const& site, http::Batch& batch, Key const& key, ByteView<space::Host> value,
                                     Condition const& condition, std::string const& mark, Stop stop,
                                     std::size_t most_at_once) {
  std::span<Stop const> const stops{&stop, stop ? 1U : 0U};
  auto const run = [&](std::span<http::Task* const> tasks) { batch.run(site.web(), tasks, stops, most_at_once); };
  auto const path = site.path_of(key.path);
  CallTask begun{
      site,
      key,
      {.method = "POST", .path = path, .query = {{"uploads", ""}}, .headers = {{std::string{site.names().mark}, mark}}},
      {200}};
  http::Task* first = &begun;
  run({&first, 1});
  auto const id = xml::text_of(begun.body(), "UploadId");
  if (id.empty()) throw StoreError{"the server began an upload without an identifier"}.in_key(key.path);
  try {
    auto const size = part_size(value.size, site.settings().part_bytes);
    std::deque<CallTask> parts;
    std::vector<http::Task*> tasks;
    for (std::uint64_t at = 0; at < value.size; at += size) {
      auto const number = std::to_string(parts.size() + 1);
      auto const bytes = value.sub(at, std::min<std::uint64_t>(size, value.size - at));
      parts.emplace_back(
          site, key,
          Ask{.method = "PUT", .path = path, .query = {{"partNumber", number}, {"uploadId", id}}, .body = bytes},
          std::vector<long>{200});
      tasks.push_back(&parts.back());
    }
    run(tasks);
    std::string list = "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">";
    for (std::size_t i = 0; i < parts.size(); ++i)
      list += to_text({"<Part><PartNumber>", i + 1, "</PartNumber><ETag>", parts[i].response().etag, "</ETag></Part>"});
    list += "</CompleteMultipartUpload>";
    // Not every server that compares for one request does so here: at least the time between is short.
    if (condition) {
      CallTask now{site, key, {.method = "HEAD", .path = path}, found_or_missing(site)};
      http::Task* const look = &now;
      run({&look, 1});
      if (Version{now.status() == 200 ? now.response().etag : std::string{}} != *condition) throw ValueChanged{};
    }
    Ask ask{.method = "POST",
            .path = path,
            .query = {{"uploadId", id}},
            .body = {reinterpret_cast<std::byte const*>(list.data()), list.size()}};
    add_condition(site.kind(), ask.headers, condition);
    CompleteTask complete{site, key, std::move(ask), condition, mark};
    http::Task* last = &complete;
    run({&last, 1});
    complete.expect_written();
    if (auto const found = complete.version()) return found;
    if (auto etag = xml::text_of(complete.body(), "ETag"); !etag.empty()) return Version{std::move(etag)};
    return std::nullopt;
  } catch (...) {
    try {
      call(site, key, {.method = "DELETE", .path = path, .query = {{"uploadId", id}}}, {204, 200, 404});
    } catch (...) {  // the first error counts; the bucket's rules end what is left
    }
    throw;
  }
}

}  // namespace s3
}}  // namespace tessera::v0
