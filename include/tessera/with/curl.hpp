// HttpStore: values of a web server or a bucket, over HTTP and HTTPS. Needs libcurl (curl's licence): link
// tessera::curl.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/schemes.hpp>
#include <tessera/with/detail/curl/curl_batch.hpp>
#include <tessera/with/detail/curl/curl_options.hpp>  // IWYU pragma: export
#include <tessera/with/detail/curl/curl_plan.hpp>
#include <tessera/with/detail/curl/curl_read.hpp>
#include <tessera/with/detail/curl/curl_task.hpp>

namespace tessera { inline namespace v0 {
namespace http {

/// Reads a value of a web server.
class WebRead final : public ReadTask {
 public:
  WebRead(Site const& site, Asked asked) : ReadTask{asked}, site_{site} {}

  Request begin() override {
    begin_body();
    return {.url = site_.url.of(key()), .range = range_text()};
  }
  TaskEnd end(Response const& response) override {
    auto const& missing = site_.options.missing;
    if (std::ranges::find(missing, response.status) != missing.end()) return end_missing(), TaskEnd::done;
    if (end_value(response)) return TaskEnd::done;
    return may_pass(response.status) ? TaskEnd::may_pass : TaskEnd::refused;
  }

 private:
  Site const& site_;
};

}  // namespace http

/// The values below an address: `HttpStore{"https://host/volume.zarr"}`. The key "t1/zarr.json" is
/// https://host/volume.zarr/t1/zarr.json. Read-only. A server has no listing: a group shows its members only if its
/// document has consolidated metadata.
///
/// Only the range needed is requested (RFC 9110, 14.2); a server without ranges sends the whole value, and the rest is
/// discarded. Bytes are written from the connection to their destination, without further buffers. The reading thread
/// waits for all of its requests together, with its share of `HttpOptions::most_at_once` in progress, and fewer before
/// the first answers. The queue keeps connections open. Transient failures are retried, and the thread waits for
/// retries too. Every wait checks the read's `stop`.
///
/// If several requests read a value, as with a shard, a replacement in between is not noticed.
class HttpStore {
  using Host = space::Host;

 public:
  using buffer_type = HostBuffer;

  /// Sends no request. Throws: StoreError, if the address is invalid.
  explicit HttpStore(std::string address, HttpOptions options = {})
      : site_{std::make_shared<http::Site const>(std::move(address), std::move(options))} {}

  std::string name() const { return site_->url.name(); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Host> destination,
                                  Queue<Host>& on) const {
    ReadRequest<Host> request{&key, range, destination};
    get_many({&request, 1}, on);
    return request.size;
  }

  /// Requests one byte, whose answer has the size. If a server without ranges sends the value, nothing of it is kept.
  std::optional<std::uint64_t> size(Key const& key, Queue<Host>& on) const {
    std::uint64_t total = 0;
    auto destination = [](std::size_t) { return ByteSpan<Host>{}; };
    ReadRequest<Host> request{&key, ByteRange::suffix(0), {destination, ReadLimits{0}}};
    run({&request, 1}, on, &total);
    return request.size ? std::optional{total} : std::nullopt;
  }

  void get_many(std::span<ReadRequest<Host>> requests, Queue<Host>& on) const { run(requests, on); }

 private:
  void run(std::span<ReadRequest<Host>> requests, Queue<Host>& on, std::uint64_t* total = nullptr) const {
    for (auto const& request : requests) detail::at_key(*this, *request.key, [] {});
    auto const plan = on.lease<http::ReadPlan>();
    std::deque<http::WebRead> reads;  // whose addresses do not change
    plan->plan(requests, [&](http::Asked asked) {
      asked.total = total;
      reads.emplace_back(*site_, asked);
    });
    std::vector<http::Task*> tasks;
    for (auto& read : reads) tasks.push_back(&read);
    auto const batch = on.lease<http::Batch>();
    try {
      batch->run(*site_, tasks, plan->stops(), std::max<std::size_t>(site_->options.most_at_once / on.threads(), 1));
    } catch (Error& error) {
      error.in_store(name());
      throw;
    }
  }

  std::shared_ptr<http::Site const> site_;
};

static_assert(ReadableStore<HttpStore>);

namespace scheme {

/// "https://host/a.zarr/t1", also of http.
struct Http {
  using options_type = HttpOptions;
  /// Throws: StoreError, as HttpStore.
  static std::optional<StoreAt> open(std::string const& address, HttpOptions const& options) {
    if (!detail::is_web(detail::scheme_of(address))) return std::nullopt;
    return StoreAt{HttpStore{address, options}};
  }
};

}  // namespace scheme

}}  // namespace tessera::v0
