// CacheState: chunks, memory and locks that all handles of a cache share.
#pragma once
#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <tessera/array/detail/other_space.hpp>
#include <tessera/cache/detail/arena.hpp>
#include <tessera/cache/detail/cache_checks.hpp>
#include <tessera/cache/detail/cached_chunk.hpp>
#include <tessera/cache/detail/least_recently_used.hpp>
#include <tessera/cache/detail/moves_lock.hpp>
#include <tessera/cache/detail/policy.hpp>
#include <tessera/cache/detail/queue_order.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Where copies are: in the array's space (near), or, for an array on the device, in page-locked memory for the host.
enum class Level : std::size_t { near = 0, host = 1 };

/// Two locks, taken in this order: `moves`, while copies are made, moved or written back, for the whole operation;
/// `book`, while the chunks' bookkeeping is read or changed. So a hit never waits for a miss, and no function of the
/// program is called under `book`.
template <class A, class Policy>
struct CacheState {
  using array_type = A;
  using element_type = typename A::element_type;
  using store_type = typename A::store_type;
  using pipeline_type = typename A::pipeline_type;
  using array_space = typename A::array_space;
  using queue_type = typename A::queue_type;
  static constexpr std::size_t rank = A::rank;
  static constexpr bool has_device = std::same_as<array_space, space::Device>;
  static constexpr std::size_t levels = has_device ? 2 : 1;
  /// The host can read and decode chunks without the device.
  static constexpr bool has_host_route = [] {
    if constexpr (!has_device)
      return true;
    else
      return !std::is_void_v<typename pipeline_of_host<pipeline_type>::type> && has_host_side<store_type>;
  }();
  using Chunk = CachedChunk<rank>;
  using Number = ChunkNumber<rank>;
  using Wanted = WantedChunk<rank>;
  using Shape = std::array<std::uint64_t, rank>;  ///< of one chunk
  using Copy = typename Chunk::Copy;
  using List = std::vector<Copy*>;
  using host_space = std::conditional_t<has_device, space::Pinned, space::Host>;
  static_assert(has_device || std::same_as<array_space, space::Host>,
                "tessera: a cache needs an array in host memory or in device memory");

  template <MemorySpace S>
  static constexpr Level level_of = std::same_as<S, array_space> ? Level::near : Level::host;
  template <Level L>
  using space_of_level = std::conditional_t<L == Level::near, array_space, host_space>;

  CacheState(A of, CacheBudget const& budget, Policy p, CacheOptions const& o, queue_type on)
      : moves{o.read.stop},
        array{std::move(of)},
        policy{std::move(p)},
        options{guarded(o.read), guarded(o.write)},
        chunk_shape{array.untyped().inner_chunk_shape()},
        order{std::move(on)},
        near{has_device ? budget.device : budget.host, slot_bytes()},
        host{budget.host, slot_bytes()} {
    expect_cached(array.untyped());
  }

  template <Level L>
  auto& arena() {
    if constexpr (L == Level::near)
      return near;
    else
      return host;
  }
  static constexpr std::size_t other(Level level) { return 1 - static_cast<std::size_t>(level); }
  static Copy& copy(Chunk& chunk, Level level) { return chunk.copies[static_cast<std::size_t>(level)]; }
  LeastRecentlyUsed<Copy>& idle(Level level) { return idle_[static_cast<std::size_t>(level)]; }

  /// The shape of the part of a chunk inside an array.
  Shape shape_of(Number const& number, Extents const& array_shape) const {
    Shape shape;
    for (std::size_t d = 0; d < rank; ++d) {
      auto const first = number.place[d] * chunk_shape[d];
      shape[d] = std::min(chunk_shape[d], array_shape[d] - std::min(first, array_shape[d]));
    }
    return shape;
  }
  /// Asks the policy about chunks. Throws: as the policy.
  std::vector<Wanted> wanted(std::vector<Number> const& numbers) {
    std::vector<Wanted> result;
    result.reserve(numbers.size());
    naming([&] { moves.expect_outside(); });
    if constexpr (check_policy<Policy>())
      moves.call([&] {
        for (auto const& number : numbers) {
          auto const place = number.extents();
          KeptIn const kept{policy.template keeps<array_space>(place), policy.template keeps<space::Host>(place)};
          result.push_back({number, kept});
        }
      });
    return result;
  }

  /// Locks `moves`. Throws: as MovesLock.
  std::unique_lock<MovesLock> moving() {
    return naming([&] { return std::unique_lock{moves}; });
  }
  template <class F>
  auto with_book(F&& f) {
    std::lock_guard lock{book};
    return f();
  }
  /// Returns f(); adds the array's path and store to its errors.
  template <class F>
  auto naming(F&& f) const {
    try {
      return f();
    } catch (Error const& error) {
      throw named(error);
    }
  }
  template <class E>
  E named(E error) const {
    error.in_key(array.untyped().path()).in_store(name_of(array.untyped().store()));
    return error;
  }

  /// Takes hold of a copy. Requires: `book`.
  void hold(Copy& held) {
    if (held.holds++ == 0) idle_[&held == &held.of->copies[0] ? 0 : 1].remove(held);
  }
  /// Releases a copy. Requires: `book`.
  void let_go(Copy& held) noexcept {
    if (--held.holds > 0 || !held.is_there) return;
    bool const is_near = &held == &held.of->copies[0];
    auto& used = idle_[is_near ? 0 : 1];
    // A host copy of a chunk that is also on the device is the first to be evicted.
    bool const is_kept = is_near ? held.of->kept.near : !held.of->copies[0].data;
    is_kept ? used.add_warmest(held) : used.add_coldest(held);
  }

  /// Adopts the array's current shape, unless that is `array_shape` and was adopted: border chunks may have another
  /// shape, and elements that were cut off are lost, even if the array grows again. Chunks outside are unplaced.
  /// Returns whether it is `array_shape`, which may be from before a resize. Requires: `book`.
  bool see_shape(Extents const& array_shape) {
    if (array_shape == shape_) return true;
    if (auto const now = array.shape(); now != shape_) adopt(now);
    return array_shape == shape_;
  }
  /// Cuts off a chunk's elements outside the adopted shape. Requires: `book`.
  void cut(Chunk& chunk) const {
    auto const left = shape_of(chunk.number, shape_);
    for (std::size_t d = 0; d < rank; ++d) chunk.uncut[d] = std::min(chunk.uncut[d], left[d]);
  }
  /// The version of a chunk that was just compared with that shape; 0: another shape is adopted. Requires: `book`.
  std::uint64_t version_for(Extents const& array_shape) const { return array_shape == shape_ ? shape_version : 0; }

  /// Ends the placing of a copy: the policy decides again. Requires: `book`.
  void unplace(Copy& copy) noexcept {
    if (!std::exchange(copy.is_placed, false)) return;
    let_go(copy);
    --counted.held;
  }

  /// The set of queues that may still use these chunks.
  std::uint64_t users_of(List const& copies) {
    std::lock_guard lock{book};
    std::uint64_t users = 0;
    for (auto const* copy : copies) users |= copy->of->users;
    return users;
  }

  /// An empty list for held copies, reused. Requires: `book`.
  std::unique_ptr<List> take_list() {
    if (lists_.empty()) {
      lists_.reserve(++lists_made_);  // so that giving back neither allocates nor throws
      return std::make_unique<List>();
    }
    auto list = std::move(lists_.back());
    lists_.pop_back();
    return list;
  }
  void give_back(std::unique_ptr<List> list) noexcept {
    list->clear();
    lists_.push_back(std::move(list));
  }

  MovesLock moves;
  std::mutex book;
  A const array;
  Policy const policy;
  CacheOptions const options;
  Extents const chunk_shape;
  QueueOrder<queue_type> order;
  Arena<array_space> near;
  Arena<host_space> host;
  std::unordered_map<Number, std::unique_ptr<Chunk>, typename Number::Hash> chunks;
  CacheStatistics counted;
  using Writer = std::size_t (*)(CacheState&, Level, std::vector<Copy*> const&);
  std::atomic<Writer> writer = nullptr;     ///< null: nothing is dirty; set by may_write
  std::optional<bool> lies_in_host_memory;  ///< the store lends chunks that need no decoding; set on first use
  std::uint64_t shape_version = 1;

 private:
  void adopt(Extents const& array_shape) {
    shape_ = array_shape;
    ++shape_version;
    for (auto& [number, chunk] : chunks) {
      cut(*chunk);
      if (std::ranges::find(chunk->uncut, std::uint64_t{0}) != chunk->uncut.end())
        for (auto& copy : chunk->copies) unplace(copy);
    }
  }

  // Progress functions may call the cache, in threads that a read under `moves` waits for.
  template <class Options>
  Options guarded(Options given) {
    if (Progress told = given.progress)
      given.progress = [this, told = std::move(told)](std::uint64_t done, std::uint64_t all) {
        moves.call([&] { told(done, all); });
      };
    return given;
  }

  // Bytes of a chunk's elements, rounded up so that each slot is aligned for vector instructions.
  std::size_t slot_bytes() const {
    auto const size = checked_product(element_count(chunk_shape, "a chunk"), sizeof(element_type), "a chunk");
    return checked_size((size + HostBuffer::alignment - 1) / HostBuffer::alignment * HostBuffer::alignment, "a chunk");
  }

  LeastRecentlyUsed<Copy> idle_[2];
  Extents shape_;
  std::vector<std::unique_ptr<List>> lists_;
  std::size_t lists_made_ = 0;
};

}}}  // namespace tessera::v0::detail
