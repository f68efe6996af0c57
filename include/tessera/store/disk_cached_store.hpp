// DiskCachedStore: values of a remote store, kept in files that all processes of a machine share.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/disk_cache.hpp>
#include <tessera/store/detail/is_near.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 {

/// Options of a DiskCachedStore.
struct DiskCacheOptions {
  /// Bytes of files in the folder. The least recently used ones are erased above it; each process that writes may
  /// exceed it by a sixteenth.
  std::uint64_t budget = std::uint64_t{10} << 30;
  /// Trust that values never change, and do not request their versions. If false, each call requests the version of
  /// each of its keys once.
  bool trusts = false;
};

/// Keeps values and ranges read from `S` in files below a folder, which any number of processes and stores may share;
/// stores with the same name share their values. A kept whole value serves each of its ranges, of which the file is
/// read in blocks of 64 KiB. Read-only.
///
/// A kept value is used if `S` says that its version is the same. HttpStore and S3Store do that by the ETag; all
/// versions of a call are requested at once. Values for which `S` reports no version are kept only with
/// `DiskCacheOptions::trusts`. Missing keys are not kept. If several requests read a value, as with a shard, a
/// replacement in between is not noticed, even if `S` would notice it.
///
/// Files are written under another name and renamed, and have checksums: after a crash or damage, or if the disk is
/// full, a value is read from `S`, and no read fails because of the cache. `statistics` counts these reads.
template <class S>
class DiskCachedStore {
  static_assert(detail::check_store<S>());
  using Space = space_of<S>;
  static_assert(std::is_same_v<Space, space::Host>,
                "tessera: a DiskCachedStore needs a store of host buffers; for device memory, CastStore<DeviceBuffer, "
                "DiskCachedStore<...>>");
  using Queue = queue_of<S>;

 public:
  using buffer_type = buffer_of<S>;

  /// Makes the folder when it is first written. Throws: StoreError, if `folder` is a file or a URL.
  DiskCachedStore(S store, std::string folder, DiskCacheOptions options = {})
      : store_{std::move(store)},
        trusts_{options.trusts},
        cache_{std::make_shared<detail::DiskCache>(std::move(folder), options.budget)} {}

  S const& source() const { return store_; }
  std::string name() const { return name_of(store_); }
  bool has_folder(std::string_view path) const { return detail::has_folder(store_, path); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination, Queue& on) const {
    ReadRequest<Space> request{&key, range, destination};
    get_many({&request, 1}, on);
    return request.size;
  }
  std::optional<std::uint64_t> size(Key const& key, Queue& on) const { return tessera::value_size(store_, key, on); }

  void get_many(std::span<ReadRequest<Space>> requests, Queue& on) const {
    auto kept = find_all(requests);
    if (!trusts_) drop_outdated(requests, kept, on);
    std::vector<std::size_t> missing;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      bool const is_given =
          kept[i] && detail::at_key(*this, *requests[i].key, [&] { return give_kept(*kept[i], requests[i]); });
      if (!is_given) missing.push_back(i);
    }
    cache_->count(requests.size() - missing.size(), missing.size());
    if (!missing.empty()) fetch(requests, missing, on);
  }

  void list(std::string_view prefix, Visitor visit) const requires ListableStore<S> { store_.list(prefix, visit); }
  void list_directory(std::string_view prefix, Visitor visit) const requires ListableStore<S> {
    store_.list_directory(prefix, visit);
  }

  /// Counts of all copies, since the store was made.
  DiskCacheStatistics statistics() const { return cache_->statistics(); }
  /// Erases all values that are kept in the folder. Throws: StoreError.
  void clear() const { cache_->clear(); }

 private:
  std::string identity(ReadRequest<Space> const& one, ByteRange const& range) const {
    std::string text = to_text(
        {name(), "\n", one.key->path, "\n", range.offset, " ", range.size, range.from_end ? " end" : ""});
    return one.value_size ? text.append(to_text({" of ", *one.value_size})) : text;
  }

  using Kept = std::vector<std::shared_ptr<detail::KeptFile>>;

  // Ranges of one whole value share its file.
  Kept find_all(std::span<ReadRequest<Space>> requests) const {
    Kept kept(requests.size());
    std::string before;
    std::shared_ptr<detail::KeptFile> whole;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto& one = requests[i];
      one.size.reset();
      detail::at_key(*this, *one.key, [&] {
        if (auto text = identity(one, {}); text != before) {
          whole = shared(cache_->find(text));
          before = std::move(text);
        }
        kept[i] = whole;
        if (whole || one.range.is_whole()) return;
        kept[i] = shared(cache_->find(identity(one, one.range)));
        if (kept[i]) kept[i]->is_part = true;
      });
    }
    return kept;
  }
  static std::shared_ptr<detail::KeptFile> shared(std::optional<detail::KeptFile> found) {
    return found ? std::make_shared<detail::KeptFile>(*std::move(found)) : nullptr;
  }

  // Forgets values of which the source has another version by now.
  void drop_outdated(std::span<ReadRequest<Space> const> requests, Kept& kept, Queue& on) const {
    std::map<std::string_view, std::string> versions;
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (kept[i]) versions.try_emplace(requests[i].key->path);
    auto nothing = [](std::size_t) { return ByteSpan<Space>{}; };
    std::vector<ReadRequest<Space>> asked;
    for (auto const& request : requests) {
      auto const found = versions.find(request.key->path);
      if (found == versions.end() || (!asked.empty() && asked.back().version == &found->second)) continue;
      auto& one = asked.emplace_back(ReadRequest<Space>{
          request.key, ByteRange::suffix(0), {nothing, ReadLimits{0, request.destination.limits().stop}}});
      one.version = &found->second;
    }
    if (!asked.empty()) tessera::get_many(store_, std::span{asked}, on);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (!kept[i]) continue;
      auto const& now = versions.find(requests[i].key->path)->second;
      if (!now.empty() && now == kept[i]->version) continue;
      if (!kept[i]->is_part) cache_->forget(kept[i]->key);  // or it would hide parts that are read now
      kept[i].reset();
    }
  }

  // False: the file has gone, or is damaged.
  bool give_kept(detail::KeptFile const& file, ReadRequest<Space>& request) const {
    auto const [offset, size] = file.is_part ? ByteRange::Resolved{0, file.size} : request.resolve(file.size);
    detail::expect_taken(request.destination, size);
    if (size == 0) return give({}, file.version, request), true;
    auto const blocks = cache_->read(file, offset, size);
    if (!blocks) return false;
    give({blocks->bytes.data() + (offset - blocks->from), checked_size(size, "the value")}, file.version, request);
    return true;
  }
  static void give(ByteView<Space> bytes, std::string const& of, ReadRequest<Space>& request) {
    auto const to = request.destination(bytes.size);
    if (to.size > 0) std::memcpy(to.data, bytes.data, to.size);
    request.size = to.size;
    if (request.version) *request.version = of;
  }

  void fetch(std::span<ReadRequest<Space>> requests, std::vector<std::size_t> const& missing, Queue& on) const {
    struct Fetched {
      Destination<Space> reader;
      detail::KeptValue value{};
      ByteSpan<Space> operator()(std::size_t n) {
        detail::expect_taken(reader, n);
        return value.room(n);
      }
    };
    std::deque<Fetched> fetched;
    std::vector<ReadRequest<Space>> asked;
    for (auto const i : missing) {
      auto& one = fetched.emplace_back(Fetched{requests[i].destination});
      auto& request = asked.emplace_back(requests[i]);
      request.destination = {one, requests[i].destination.limits()};
      request.slab = {};
      request.watch = nullptr;
      request.arrived = nullptr;  // the value is not in the reader's memory then
      request.version = &one.value.version;
    }
    tessera::get_many(store_, std::span{asked}, on);
    for (std::size_t n = 0; n < missing.size(); ++n) {
      auto& request = requests[missing[n]];
      if (!asked[n].size) continue;
      auto& value = fetched[n].value;
      detail::at_key(*this, *request.key, [&] {
        detail::expect_given(asked[n].size, value.bytes().size, *request.key);
        give(value.bytes(), value.version, request);
      });
      if (trusts_ || !value.version.empty()) cache_->keep(identity(request, request.range), std::move(value));
    }
  }

  S store_;
  bool trusts_;
  std::shared_ptr<detail::DiskCache> cache_;
};

template <class S>
DiskCachedStore(S, std::string) -> DiskCachedStore<S>;
template <class S>
DiskCachedStore(S, std::string, DiskCacheOptions) -> DiskCachedStore<S>;

}}  // namespace tessera::v0
