// Values of another store, encoded as they are, in memory: within a budget, those that were used last.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/at_key.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/forwarding_store.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/is_near.hpp>
#include <tessera/store/lend.hpp>
#include <tessera/store/recent_values.hpp>
#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

template <class S>
consteval bool check_cached_store() {
  if constexpr (!check_store<S>()) {
    return false;
  } else {
    constexpr bool may_be_kept = HasWatch<S> && AllocatableBuffer<buffer_of<S>>;
    static_assert(may_be_kept,
                  "tessera: a CachedStore keeps values of a store that says when they change, by `watch`, and whose "
                  "buffers can be made: LocalStore, MemoryStore, DirectStore, or a store around one of them");
    return may_be_kept;
  }
}

}  // namespace detail

/// What is read of `S` stays in memory of its buffers: a value, or each range of it that is asked for. The least
/// recently used go first. `budget`, in bytes, is for what is kept and what is being read; what was lent, and went,
/// lives until its reader is done. Copies share what is kept.
///
/// Each read asks `S` for the version of the value, so what anybody writes is seen as `S` itself shows it. A file that
/// was just written is not kept until its version is settled. Device memory that is refused for a value is asked for
/// once more when nothing is kept, and the queue has been waited for.
///
/// One over the other has a budget for each memory: CachedStore{CastStore<DeviceBuffer, Cached>{cached}, bytes}, where
/// `cached` is a CachedStore of host buffers.
template <class S>
class CachedStore : public detail::ForwardingStore<S, detail::Forwarded{.folders = true, .writes = true}> {
  static_assert(detail::check_cached_store<S>() || true);  // so that it is asked at once
  using Base = detail::ForwardingStore<S, detail::Forwarded{.folders = true, .writes = true}>;
  using Space = space_of<S>;
  using Queue = queue_for<Space>;
  using Values = detail::RecentValues<buffer_of<S>>;

 public:
  static constexpr bool refused = !detail::check_cached_store<S>();  ///< a message was given

  CachedStore(S store, std::uint64_t budget)
      : Base{std::move(store)}, values_{std::make_shared<Values>(budget)} {}

  S const& source() const { return this->behind(); }
  bool is_near() const { return detail::is_near(source()); }
  bool has_folder(std::string_view path) const { return detail::has_folder(source(), path); }

  std::optional<std::uint64_t> size(Key const& key, Queue& on) const { return tessera::size(source(), key, on); }
  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination, Queue& on) const {
    return detail::at_key(*this, key, [&]() -> std::optional<std::size_t> {
      auto lent = lend(key, range, on);
      if (!lent) return std::nullopt;
      auto const size = lent->bytes.size;
      crossing<Space, Space>::copy(lent->bytes, destination(size), on);
      on.keep(std::move(lent->owner));
      return size;
    });
  }
  std::optional<Lent<Space>> lend(Key const& key, ByteRange range, Queue& on) const {
    return detail::at_key(*this, key, [&]() -> std::optional<Lent<Space>> {
      auto const seen = source().watch(key);
      typename Values::Name name{key.path, range.offset, range.size, range.from_end, device_of(on)};
      auto value = values_->find(name, seen.version());
      if (value) {
        on.after(value->ready);
      } else {
        typename Values::Room room{*values_};
        value = read_anew(key, range, room, on);
        if (!value) return std::nullopt;
        if (seen.version().is_settled) values_->keep(std::move(name), seen.version(), value, room);
      }
      auto const bytes = value->buffer->view();
      return Lent<Space>{bytes, std::move(value)};
    });
  }

  /// Nothing is kept any more.
  void clear() const { values_->clear(); }
  CachedStoreStatistics statistics() const { return values_->statistics(); }

 private:
  // A value is in the memory of one GPU.
  static int device_of([[maybe_unused]] Queue const& on) {
    if constexpr (requires { on.device(); })
      return on.device();
    else
      return 0;
  }
  typename Values::Shared read_anew(Key const& key, ByteRange range, typename Values::Room& room, Queue& on) const {
    auto value = std::make_shared<typename Values::Value>();
    auto destination = [&](std::size_t n) {
      room.take(n);
      try {
        value->buffer.emplace(n, on);
      } catch (OutOfMemory const&) {
        clear();
        on.trim();  // what was kept is free when the queue has come there
        value->buffer.emplace(n, on);
      }
      return value->buffer->span();
    };
    if (!detail::read(source(), key, range, destination, on)) return nullptr;
    value->ready = on.record();
    return value;
  }

  std::shared_ptr<Values> values_;
};

}}  // namespace tessera::v0
