// S3Store: values in a bucket of Amazon S3, or of a server that speaks its protocol. Needs libcurl and OpenSSL's
// libcrypto: link tessera::s3.
#pragma once
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/schemes.hpp>
#include <tessera/with/detail/curl/curl_options.hpp>
#include <tessera/with/detail/s3/s3_bucket.hpp>
#include <tessera/with/detail/s3/s3_list.hpp>
#include <tessera/with/detail/s3/s3_settings.hpp>

namespace tessera { inline namespace v0 {

/// Where the bucket's name is in an address.
enum class S3Style {
  automatic,  ///< in the host's name at Amazon, in the path at other endpoints
  host,       ///< https://bucket.server/key
  path,       ///< https://server/bucket/key
};

/// Options of an S3Store. What they leave out comes from the environment, then from the profile's files, as with
/// Amazon's tools. If neither has credentials, they come from a web identity, the profile's single sign-on or
/// `credential_process`, the container's agent (AWS_CONTAINER_CREDENTIALS_FULL_URI), or the instance's metadata. A
/// profile that takes a role by `source_profile` or `credential_source` is refused.
struct S3Options {
  std::string endpoint{};       ///< "http://127.0.0.1:9000"; AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL; else Amazon's
  std::string region{};         ///< AWS_REGION, AWS_DEFAULT_REGION; else "us-east-1"
  std::string access_key{};     ///< AWS_ACCESS_KEY_ID
  std::string secret_key{};     ///< AWS_SECRET_ACCESS_KEY
  std::string session_token{};  ///< of credentials for some hours; AWS_SESSION_TOKEN
  std::string profile{};        ///< in ~/.aws, before the environment's keys; AWS_PROFILE; else "default"
  bool anonymous = false;       ///< requests are not signed; AWS_NO_SIGN_REQUEST
  std::string bearer{};         ///< a token of gs:// and az://, in place of keys; GOOGLE_OAUTH_ACCESS_TOKEN
  std::string sas{};            ///< of az://, a shared access signature: "sv=...&sig=..."; AZURE_STORAGE_SAS_TOKEN
  S3Style style = S3Style::automatic;                       ///< where the bucket's name is in addresses
  std::uint64_t multipart_above = std::uint64_t{64} << 20;  ///< bytes; larger values are written in parts
  std::uint64_t part_bytes = std::uint64_t{16} << 20;       ///< of each part; 5 MiB or more
  /// No other program writes below the address. Writes have no conditions and folders no locks, so the server need not
  /// support them.
  bool one_writer = false;
  std::chrono::seconds lease{60};           ///< a lock whose program has ended is free after this time
  std::chrono::seconds lock_patience{600};  ///< a wait for a lock ends with an error after this time
  HttpOptions http{};  ///< of the requests; 403 among its `missing` means AccessDenied, other codes of 403 are errors
};

/// Keys are objects below an address: with `S3Store<HostBuffer>{"s3://bucket/volume.zarr"}` the key "t1/zarr.json" is
/// the object "volume.zarr/t1/zarr.json". "gs://bucket/folder" is Google's, by its XML interface, with HMAC keys
/// (GS_ACCESS_KEY_ID, GS_SECRET_ACCESS_KEY) or a token; "az://account/container/folder", or "abfs://container@account/
/// folder", is Azure's, with the account's key as `secret_key` (AZURE_STORAGE_KEY), a SAS or a token. Reads as an
/// HttpStore does. If a value is replaced between two reads of its parts, it is read again.
///
/// A value changed under its lock replaces only the version that was read (If-Match, If-None-Match), so programs do not
/// lose each other's changes. The first write tests by four requests whether the server supports this. Messages show no
/// secret, and other hosts get none.
template <Buffer B>
class S3Store {
  using Space = typename B::space_type;
  using Host = space::Host;
  static_assert(Space::host_accessible,
                "tessera: a bucket is read into memory that the host can write: use S3Store<HostBuffer>, and for "
                "device memory CastStore<DeviceBuffer, S3Store<HostBuffer>>");

 public:
  using buffer_type = B;
  static constexpr bool versions_only_reads = true;  ///< two watches of one value have different versions

  /// Reads the environment and the profile's files; sends no request. Throws: StoreError, if address or options are
  /// invalid.
  explicit S3Store(std::string_view address, S3Options options = {})
      : bucket_{std::make_shared<s3::Bucket>(s3::settings_of(address, std::move(options)))} {}

  std::string name() const { return bucket_->site().name(); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  queue_for<Space>& on) const {
    ReadRequest<Space> request{&key, range, destination};
    get_many({&request, 1}, on);
    return request.size;
  }

  /// Sends one request, without a body.
  std::optional<std::uint64_t> size(Key const& key, queue_for<Space>&) const {
    return detail::at_key(*this, key, [&] { return bucket_->size(key); });
  }

  /// All requests are in progress at once. Neighbouring ranges of a key share one.
  void get_many(std::span<ReadRequest<Space>> requests, queue_for<Space>& on) const {
    for (auto const& request : requests) detail::at_key(*this, *request.key, [] {});
    named([&] {
      if constexpr (std::same_as<Space, Host>)
        bucket_->get_many(requests, on);
      else
        get_on_host(requests, on.host());
    });
  }

  void write(Key const& key, ByteView<Space> value, queue_for<Space>& on) const {
    WriteRequest<Space> const request{&key, value};
    write_many({&request, 1}, on);
  }

  /// All values are in progress at once, except those that are written in parts.
  void write_many(std::span<WriteRequest<Space> const> requests, queue_for<Space>& on) const {
    std::vector<WriteRequest<Host>> on_host;
    for (auto const& [key, value, slab, stop] : requests) {
      detail::at_key(*this, *key, [] {});
      if (key->path.substr(key->path.rfind('/') + 1).starts_with(s3::hidden))
        detail::at_key(*this, *key, [] {
          throw StoreError{to_text({"names that begin with \"", s3::hidden, "\" are reserved for locks"})};
        });
      on_host.push_back({key, {value.data, value.size}, {}, stop});
    }
    on.wait();  // for the work that makes the values
    named([&] { bucket_->write_many(on_host, on.host()); });
  }

  bool erase(Key const& key, queue_for<Space>&) const {
    return detail::at_key(*this, key, [&] { return bucket_->erase(key); });
  }
  /// Erases keys, a thousand with each request; missing ones are left out. Requires: no other program changes them
  /// meanwhile. Throws: StoreError; then some are erased.
  void erase_many(std::span<Key const> keys, queue_for<Space>&) const {
    for (auto const& key : keys) detail::at_key(*this, key, [] {});
    named([&] { bucket_->erase_many(keys); });
  }

  /// Held while a value is read, changed and written back, by the thread that took it. Writing or erasing the key under
  /// it throws ValueChanged, if another program wrote it since it was read. Hold one at a time: keys may share it.
  /// Sends no request. Throws: Cancelled.
  KeyLock lock(Key const& key, Stop stop = nullptr) const {
    return detail::at_key(*this, key, [&] { return bucket_->keys().lock(key, stop); });
  }
  /// Held while everything below a folder changes together, or shared while parts of it do: excludes all programs, by
  /// an object in the folder. Throws: StoreError; Cancelled.
  FolderLock lock_folder(std::string_view path, Sharing sharing, Stop stop = nullptr) const {
    if (path.empty()) return named([&] { return bucket_->lock_folder(path, sharing, stop); });
    return detail::at_key(*this, Key{std::string{path}}, [&] { return bucket_->lock_folder(path, sharing, stop); });
  }
  /// See ValueWatch. Sends no request: the first read under the watch finds the version, and others must find the same.
  ValueWatch watch(Key const& key) const {
    return detail::at_key(*this, key, [&] { return bucket_->watch(); });
  }

  /// One request for a thousand keys.
  void list(std::string_view prefix, Visitor visit) const {
    named([&] { s3::list(bucket_->site(), prefix, false, visit); });
  }
  void list_directory(std::string_view prefix, Visitor visit) const {
    named([&] { s3::list(bucket_->site(), prefix, true, visit); });
  }

 private:
  template <class F>
  decltype(auto) named(F&& f) const try {
    return f();
  } catch (Error& error) {
    error.in_store(name());
    throw;
  }

  // Memory of another space, which the host can write.
  void get_on_host(std::span<ReadRequest<Space>> requests, Queue<Host>& on) const {
    std::deque<std::function<ByteSpan<Host>(std::size_t)>> destinations;
    std::vector<ReadRequest<Host>> on_host;
    for (auto const& request : requests) {
      auto const& to = destinations.emplace_back([&request](std::size_t size) {
        auto const memory = request.destination(size);
        return ByteSpan<Host>{memory.data, memory.size};
      });
      on_host.push_back({.key = request.key,
                         .range = request.range,
                         .destination = {to, request.destination.limits()},
                         .max_gap = request.max_gap,
                         .max_request_bytes = request.max_request_bytes,
                         .value_size = request.value_size,
                         .watch = request.watch,
                         .version = request.version,
                         .arrived = request.arrived});
    }
    bucket_->get_many(on_host, on);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].size = on_host[i].size;
      requests[i].is_of_watch = on_host[i].is_of_watch;
    }
  }

  std::shared_ptr<s3::Bucket> bucket_;
};

static_assert(Store<S3Store<HostBuffer>> && ListableStore<S3Store<HostBuffer>>);

namespace scheme {

/// "s3://bucket/a.zarr/t1", "gs://bucket/a.zarr/t1", "az://account/container/a.zarr/t1".
struct S3 {
  using options_type = S3Options;
  /// Throws: StoreError, as S3Store.
  static std::optional<StoreAt> open(std::string const& address, S3Options const& options) {
    if (!detail::is_bucket(detail::scheme_of(address))) return std::nullopt;
    return StoreAt{S3Store<HostBuffer>{address, options}};
  }
};

}  // namespace scheme

}}  // namespace tessera::v0
