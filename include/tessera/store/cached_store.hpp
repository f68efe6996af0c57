// CachedStore: the most recently used values of another store, still encoded, in memory, within a budget.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/buffer/concept.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/forwarding_store.hpp>
#include <tessera/store/detail/is_near.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/missing_values.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/detail/recent_values.hpp>
#include <tessera/store/detail/value_watch.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

template <class S>
consteval bool check_cached_store() {
  if constexpr (!check_store<S>()) {
    return false;
  } else {
    constexpr bool may_be_kept = HasWatch<S> && !VersionsOnlyReads<S> && AllocatableBuffer<buffer_of<S>>;
    static_assert(may_be_kept,
                  "tessera: a CachedStore needs a store that reports changes of its values, by 'watch', and whose "
                  "buffers can be allocated: LocalStore, MemoryStore, DirectStore, or a store around one of them");
    return may_be_kept;
  }
}

}  // namespace detail

/// A cache of values, or of single ranges, that were read from the store `S`, in buffers of its type. Evicts the least
/// recently used ones. `budget`, in bytes, covers cached values and values being read; a lent value that is evicted
/// lives until its reader is done. Copies share the cache.
///
/// Each read asks `S` for the version of the value, so other writers' changes show as in `S` itself. A file that was
/// just written is not cached until its version is settled (ValueVersion::is_settled). The misses of a batch are one
/// batch of `S`, without duplicates; if it fails, none is cached. A value beyond the budget is read but not cached. If
/// device memory for a value cannot be allocated, the cache is cleared, and after a wait for the queue the allocation
/// is tried once more.
///
/// Two levels have a budget each: CachedStore{CastStore<DeviceBuffer, Cached>{cached}, bytes}, where `cached` is a
/// CachedStore of host buffers.
template <class S>
class CachedStore : public detail::ForwardingStore<S, detail::Forwarded{.folders = true, .writes = true}> {
  static_assert(detail::check_cached_store<S>() || true);  // reports errors early
  using Base = detail::ForwardingStore<S, detail::Forwarded{.folders = true, .writes = true}>;
  using Space = space_of<S>;
  using Queue = queue_for<Space>;
  using Values = detail::RecentValues<buffer_of<S>>;

 public:
  static constexpr bool refused = !detail::check_cached_store<S>();  ///< whether a static_assert has failed

  CachedStore(S store, std::uint64_t budget)
      : Base{std::move(store)}, values_{std::make_shared<Values>(budget)} {}

  S const& source() const { return this->behind(); }
  bool is_near() const { return detail::is_near(source()); }
  bool has_folder(std::string_view path) const { return detail::has_folder(source(), path); }

  std::optional<std::uint64_t> size(Key const& key, Queue& on) const { return tessera::value_size(source(), key, on); }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination, Queue& on) const {
    ReadRequest<Space> request{&key, range, destination};
    get_many({&request, 1}, on);
    return request.size;
  }
  std::optional<Lent<Space>> lend(Key const& key, ByteRange range, Queue& on) const {
    LendRequest<Space> request{&key, range};
    lend_many({&request, 1}, on);
    return std::move(request.lent);
  }
  void get_many(std::span<ReadRequest<Space>> requests, Queue& on) const {
    auto values = values_of(requests, on);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].size.reset();
      if (!values[i]) continue;
      auto const bytes = values[i]->buffer->view();
      detail::at_key(*this, *requests[i].key, [&] {
        crossing<Space, Space>::copy(bytes, requests[i].destination(bytes.size), on);
        on.keep(std::move(values[i]));
      });
      requests[i].size = bytes.size;
    }
  }
  void lend_many(std::span<LendRequest<Space>> requests, Queue& on) const {
    auto values = values_of(requests, on);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      requests[i].lent.reset();
      if (!values[i]) continue;
      auto const bytes = values[i]->buffer->view();
      requests[i].lent = Lent<Space>{bytes, std::move(values[i])};
    }
  }

  /// Drops all cached values.
  void clear() const { values_->clear(); }
  /// Counts of all copies, since the store was made.
  CachedStoreStatistics statistics() const { return values_->statistics(); }

 private:
  // Values are cached per GPU.
  static int device_of([[maybe_unused]] Queue const& on) {
    if constexpr (requires { on.device(); })
      return on.device();
    else
      return 0;
  }
  // One per request; null: no such key.
  template <class Requests>
  std::vector<typename Values::Shared> values_of(Requests const& requests, Queue& on) const {
    std::vector<typename Values::Shared> found(requests.size());
    std::vector<std::pair<std::size_t, typename Values::Shared const*>> missing;
    detail::MissingValues<S> unread{*values_, on};
    typename Values::Ready const* last = nullptr;
    ValueVersion seen;
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto const& request = requests[i];
      detail::at_key(*this, *request.key, [&] {
        bool const is_same_key = i > 0 && requests[i - 1].key->path == request.key->path;
        if (!is_same_key) seen = source().watch(*request.key).version();
        typename Values::Name name{request.key->path, request.range.offset, request.range.size, request.range.from_end,
                                   device_of(on)};
        found[i] = values_->find(name, seen);
        if (!found[i])
          missing.emplace_back(i, &unread.add(std::move(name), seen, request));
        else if (auto const* const ready = found[i]->ready.get(); ready != last)
          on.after(*(last = ready));
      });
    }
    unread.read_from(source());
    for (auto const& [i, value] : missing) found[i] = *value;
    return found;
  }

  std::shared_ptr<Values> values_;
};

}}  // namespace tessera::v0
