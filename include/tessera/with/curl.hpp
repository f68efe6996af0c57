// Values of a web server or a bucket, over HTTP and HTTPS. Needs libcurl (curl's license): link tessera::curl.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/at_key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/read_request.hpp>
#include <tessera/with/curl_batch.hpp>
#include <tessera/with/curl_site.hpp>

namespace tessera { inline namespace v0 {

/// What a server shows below an address: `HttpStore{"https://host/volume.zarr"}`. The key "t1/zarr.json" is
/// https://host/volume.zarr/t1/zarr.json. It is read only, and a server has no listing: a group shows its members where
/// its document has consolidated metadata.
///
/// A range is asked for alone (RFC 9110, 14.2); a server that knows no ranges sends the whole value, of which the rest
/// is discarded. Bytes go from the connection to their destination. The thread that reads waits for all of its requests at
/// once, its share of `HttpOptions::most_at_once` under way. Connections stay open, kept by the queue. What fails in a
/// way that may pass is asked for again, for which the thread waits, too.
///
/// Of one value that is read by several requests, as a shard is, nobody notices that it was replaced in between.
class HttpStore {
  using Host = space::Host;

 public:
  using buffer_type = HostBuffer;

  /// Asks nothing of the server. Throws: StoreError, if the address is none.
  explicit HttpStore(std::string address, HttpOptions options = {})
      : site_{std::make_shared<http::Site const>(std::move(address), std::move(options))} {}

  std::string name() const { return site_->url.name(); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Host> destination,
                                  Queue<Host>& on) const {
    ReadRequest<Host> request{&key, range, destination};
    get_many({&request, 1}, on);
    return request.size;
  }

  void get_many(std::span<ReadRequest<Host>> requests, Queue<Host>& on) const {
    for (auto const& request : requests) detail::at_key(*this, *request.key, [] {});
    auto const batch = on.lease<http::Batch>();
    try {
      batch->run(*site_, requests, std::max<std::size_t>(site_->options.most_at_once / on.threads(), 1));
    } catch (Error& error) {
      error.in_store(name());
      throw;
    }
  }

 private:
  std::shared_ptr<http::Site const> site_;
};

static_assert(ReadableStore<HttpStore>);

}}  // namespace tessera::v0
