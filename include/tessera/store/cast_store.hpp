// Another store's values in another memory space: a cast, written as a store.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/scratch.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>

namespace tessera::inline v0 {

namespace detail {

template <class To, class From>
consteval bool check_cast_store() {
  if constexpr (!check_store<From>()) {
    return false;
  } else {
    using Source = space_of<From>;
    using Space = typename To::space_type;
    constexpr bool crosses = CrossesFrom<Space, Source>;
    static_assert(crosses,
                  "tessera: there is no crossing between these two memory spaces; include "
                  "tessera/cast/host_device.cuh, or cast to host memory first");
    constexpr bool has_queue = std::same_as<Source, space::Host> || !std::same_as<Space, space::Host>;
    static_assert(!crosses || has_queue,
                  "tessera: values of a device store come to the host in the order of a device queue: read them with "
                  "get() and cast<HostBuffer>(buffer, queue)");
    return crosses && has_queue;
  }
}

}  // namespace detail

/// Values are read from `From`, and cross to the space of `To` in the queue's order; written ones cross back.
template <AllocatableBuffer To, class From>
class CastStore {
  static_assert(detail::check_cast_store<To, From>() || true);  // so that it is asked at once
  using Source = space_of<From>;
  using Space = typename To::space_type;
  static constexpr bool is_writable = WritableStore<From> && CrossesFrom<Source, Space>;

 public:
  using buffer_type = To;
  static constexpr bool refused = !detail::check_cast_store<To, From>();  ///< a message was given

  explicit CastStore(From from) : from_{std::move(from)} {}

  From const& source() const { return from_; }
  decltype(auto) metadata_store() const requires requires(From const& from) { from.metadata_store(); }
  { return metadata_of(from_); }
  std::string name() const { return name_of(from_); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Room<Space> room, queue_for<Space>& on) const {
    auto const staged = on.template lease<Scratch<Source>>();
    ByteSpan<Source> bytes;
    auto& source_queue = queue_in<Source>(on);
    auto staging = [&](std::size_t n) { return bytes = staged->take(n, source_queue); };
    if (!from_.read(key, range, staging, source_queue)) return std::nullopt;
    crossing<Space, Source>::copy(bytes, room(bytes.size), on);
    return bytes.size;
  }

  std::optional<std::uint64_t> size(Key const& key, queue_for<Space>& on) const {
    return tessera::size(from_, key, queue_in<Source>(on));
  }

  void write(Key const& key, ByteView<Space> value, queue_for<Space>& on) const requires is_writable {
    auto const staged = on.template lease<Scratch<Source>>();
    auto& source_queue = queue_in<Source>(on);
    auto const bytes = staged->take(value.size, source_queue);
    crossing<Source, Space>::copy(value, bytes, on);
    arrive<Source, Space>(on);
    from_.write(key, bytes, source_queue);
  }
  bool erase(Key const& key, queue_for<Space>& on) const requires is_writable {
    return from_.erase(key, queue_in<Source>(on));
  }
  auto lock(Key const& key) const requires requires(From const& from) { from.lock(key); }
  { return from_.lock(key); }

 private:
  From from_;
};

}  // namespace tessera::inline v0
