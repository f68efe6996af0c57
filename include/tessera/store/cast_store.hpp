// CastStore: another store's values in another memory space.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/forwarding_store.hpp>
#include <tessera/store/detail/lend.hpp>
#include <tessera/store/detail/unfinished.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

template <class To, class From>
consteval bool check_cast_store() {
  if constexpr (!check_store<From>())
    return false;
  else if constexpr (!check_made<To>())
    return false;
  else
    return check_crossing<typename To::space_type, space_of<From>>();
}

}  // namespace detail

/// A read copies values of `From` to the space of `To` in the queue's order; a write copies them back. To show a store
/// of device buffers as one of host buffers, pass a device queue; every read and write waits for it.
template <Buffer To, class From>
class CastStore : public detail::ForwardingStore<From, detail::Forwarded{.folders = true}> {
  static_assert(detail::check_cast_store<To, From>() || true);  // reports errors early
  using Base = detail::ForwardingStore<From, detail::Forwarded{.folders = true}>;
  using Source = space_of<From>;
  using Space = typename To::space_type;
  using Crossing = crossing_queue<Space, Source>;
  using Staging = staging_t<Space, Source>;
  static constexpr bool has_queue = !std::same_as<Crossing, queue_for<Space>>;
  static constexpr bool is_writable = WritableStore<From> && CrossesFrom<Source, Space>;
  struct NoQueue {};

 public:
  using buffer_type = To;
  static constexpr bool refused = !detail::check_cast_store<To, From>();  ///< whether a static_assert has failed

  explicit CastStore(From from) : Base{std::move(from)} {
    static_assert(!has_queue,
                  "tessera: copying values of a device store to the host needs a device queue: pass one to the "
                  "CastStore, CastStore<HostBuffer, Store>{store, queue}");
  }
  CastStore(From from, Crossing on) requires has_queue : Base{std::move(from)}, on_{std::move(on)} {}

  From const& source() const { return this->behind(); }
  decltype(auto) metadata_store() const requires requires(From const& from) { from.metadata_store(); }
  { return metadata_of(source()); }
  /// The source, if its bytes are in host memory.
  From host_side() const requires std::same_as<Source, space::Host> { return source(); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  queue_for<Space>& queue) const {
    return detail::at_key(*this, key, [&]() -> std::optional<std::size_t> {
      auto on = crossing_on(queue);
      if constexpr (LendingStore<From> && std::same_as<Staging, Source>) {
        auto lent = source().lend(key, range, queue_in<Source>(on));
        if (!lent) return std::nullopt;
        crossing<Space, Source>::copy(lent->bytes, destination(lent->bytes.size), on);
        on.keep(std::move(lent->owner));
        arrive<Space, Source>(on);
        return lent->bytes.size;
      }
      auto const staged = on.template lease<Scratch<Staging>>();
      ByteSpan<Staging> bytes;
      auto staging = [&](std::size_t n) {
        detail::expect_taken(destination, n);  // before allocating memory
        bytes = staged->take(n, queue_in<Staging>(on));
        return ByteSpan<Source>{bytes.data, bytes.size};
      };
      Destination<Source> const staged_in{staging, destination.limits()};
      if (!source().read(key, range, staged_in, queue_in<Source>(on))) return std::nullopt;
      crossing<Space, Staging>::copy(bytes, destination(bytes.size), on);
      arrive<Space, Staging>(on);
      return bytes.size;
    });
  }

  std::optional<std::uint64_t> size(Key const& key, queue_for<Space>& queue) const {
    auto on = crossing_on(queue);
    return tessera::value_size(source(), key, queue_in<Source>(on));
  }

  void write(Key const& key, ByteView<Space> value, queue_for<Space>& queue) const requires is_writable {
    detail::at_key(*this, key, [&] {
      give(value, queue, [&](ByteView<Source> bytes, queue_for<Source>& on) { source().write(key, bytes, on); });
    });
  }
  bool append(Key const& key, ByteView<Space> bytes, std::uint64_t size,
              queue_for<Space>& queue) const requires is_writable && AppendableStore<From> {
    return detail::at_key(*this, key, [&] {
      return give(bytes, queue, [&](ByteView<Source> crossed, queue_for<Source>& on) {
        return source().append(key, crossed, size, on);
      });
    });
  }
  bool erase(Key const& key, queue_for<Space>& queue) const requires is_writable {
    auto on = crossing_on(queue);
    return source().erase(key, queue_in<Source>(on));
  }
  std::size_t erase_unfinished(std::string_view prefix) const requires is_writable {
    return detail::erase_unfinished(source(), prefix);
  }

 private:
  // The queue for copies between the spaces.
  Crossing crossing_on([[maybe_unused]] queue_for<Space>& queue) const {
    if constexpr (has_queue)
      return on_;
    else
      return queue;
  }

  // Calls f with the bytes, copied to the other space.
  template <class F>
  auto give(ByteView<Space> value, queue_for<Space>& queue, F&& f) const {
    auto on = crossing_on(queue);
    auto const staged = on.template lease<Scratch<Staging>>();
    ByteSpan<Staging> const bytes = staged->take(value.size, queue_in<Staging>(on));
    crossing<Staging, Space>::copy(value, bytes, on);
    arrive<Staging, Space>(on);
    if constexpr (has_queue) on.wait();  // for the copy: the caller may change `value` afterwards
    ByteView<Staging> const arrived = bytes;
    return f(view_in<Source>(arrived, queue_in<Staging>(on)), queue_in<Source>(on));
  }

  [[no_unique_address]] std::conditional_t<has_queue, Crossing, NoQueue> on_;
};

}}  // namespace tessera::v0
