// ChunkCache: decoded chunks of an array, kept within a budget in host memory, or in device memory with page-locked
// memory behind it. For an array on the device include tessera.cuh too. HeldChunks: chunks that a cache holds for
// a caller, with views of their elements. They do not move meanwhile.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/array.hpp>
#include <tessera/cache/detail/cache_calls_with_queue.hpp>
#include <tessera/cache/detail/cache_checks.hpp>
#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/cache/detail/policy.hpp>  // IWYU pragma: export
#include <tessera/cache/detail/refusals.hpp>
#include <tessera/cache/detail/selected_elements.hpp>
#include <tessera/cache/detail/shrink.hpp>
#include <tessera/cache/detail/statistics.hpp>
#include <tessera/cache/detail/take_chunks.hpp>
#include <tessera/cache/detail/write_back.hpp>
#include <tessera/view/array_view.hpp>

namespace tessera { inline namespace v0 {

/// One chunk: `first`, the array's index of its first element, and a `view` of its elements. T is const in chunks held
/// for reading.
template <class T, std::size_t Rank, MemorySpace S>
struct HeldChunk {
  std::array<std::uint64_t, Rank> first;
  ArrayView<T, Rank, S> view;
};

/// A range of HeldChunk, in C order of the grid. Move-only. Once it is destroyed, the cache may move the chunks, but
/// only after work given before to the queue that they are held for. For one thread at a time; several may hold the
/// same chunks.
template <class State, MemorySpace S, detail::Access access>
class HeldChunks {
  using Element = typename State::element_type;
  using List = typename State::List;

 public:
  using element_type = std::conditional_t<access == detail::Access::reading, Element const, Element>;
  using value_type = HeldChunk<element_type, State::rank, S>;

  /// For the cache.
  HeldChunks(std::shared_ptr<State> state, std::unique_ptr<List> list)
      : state_{std::move(state)}, list_{std::move(list)} {}
  HeldChunks(HeldChunks&&) = default;
  HeldChunks& operator=(HeldChunks&& other) noexcept {
    release();
    state_ = std::move(other.state_);
    list_ = std::move(other.list_);
    return *this;
  }
  ~HeldChunks() { release(); }

  std::size_t size() const { return list_ ? list_->size() : 0; }  ///< chunks
  /// The chunk of number i, below size().
  value_type operator[](std::size_t i) const {
    auto const& copy = *(*list_)[i];
    auto view = ArrayView<element_type, State::rank, S>::c_order(reinterpret_cast<element_type*>(copy.data),
                                                                 state_->chunk_shape);
    std::array<std::uint64_t, State::rank> first;
    for (std::size_t d = 0; d < State::rank; ++d) {
      view.shape[d] = copy.of->shape[d];
      first[d] = copy.of->number.place[d] * state_->chunk_shape[d];
    }
    return {first, view};
  }

  /// Visits the chunks in this order.
  class iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = HeldChunks::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;
    iterator() = default;
    iterator(HeldChunks const* of, std::size_t at) : of_{of}, at_{at} {}
    value_type operator*() const { return (*of_)[at_]; }
    iterator& operator++() { return ++at_, *this; }
    iterator operator++(int) { return {of_, at_++}; }
    friend bool operator==(iterator const&, iterator const&) = default;

   private:
    HeldChunks const* of_ = nullptr;
    std::size_t at_ = 0;
  };
  iterator begin() const { return {this, 0}; }
  iterator end() const { return {this, size()}; }

  /// Releases the chunks now.
  void release() noexcept {
    if (!list_) return;
    std::lock_guard lock{state_->book};
    detail::let_go_of(*state_, *list_, access);
    state_->give_back(std::move(list_));
  }

 private:
  std::shared_ptr<State> state_;
  std::unique_ptr<List> list_;  // null: no chunks
};

/// A handle: copies refer to the same cache. It caches inner chunks, which can be decoded independently. Any thread and
/// any queue of its GPU may use it. Changes that are not made through the cache are not seen until `clear`, except the
/// array's shape, at each call that holds or writes chunks: elements of dirty chunks outside it are lost. The last
/// handle's destructor writes dirty chunks back and drops an error; `flush` reports errors.
///
/// The cache reads, spills and returns chunks on its own queue, by default the array's. With another queue than that of
/// the kernels, the cache works at the same time as they do. The cache keeps each queue on which chunks were held.
template <class A, class Policy = KeepEverywhere>
class ChunkCache : public detail::CacheCallsWithQueue<ChunkCache<A, Policy>, typename A::queue_type> {
  using WithQueue = detail::CacheCallsWithQueue<ChunkCache, typename A::queue_type>;
  using State = detail::CacheState<A, Policy>;
  using Access = detail::Access;
  using Level = detail::Level;

 public:
  using array_type = A;
  using element_type = typename A::element_type;
  using array_space = typename A::array_space;
  using queue_type = typename A::queue_type;
  static constexpr std::size_t rank = A::rank;  ///< the number of dimensions
  template <MemorySpace S>
  using Held = HeldChunks<State, S, Access::reading>;
  template <MemorySpace S>
  using HeldForWriting = HeldChunks<State, S, Access::writing>;

  /// Throws: MetadataError, if elements are strings or bytes of any length, or the chunk grid is rectilinear.
  ChunkCache(A array, CacheBudget const& budget, Policy policy = {}, CacheOptions const& options = {})
      : ChunkCache{array, budget, std::move(policy), options, array.untyped().queue()} {}
  ChunkCache(A array, CacheBudget const& budget, Policy policy, CacheOptions const& options, queue_type on)
      : state_{new State{std::move(array), budget, std::move(policy), options, on}, detail::WriteBackAtTheEnd{}},
        on_{std::move(on)} {}

  A const& array() const { return state_->array; }
  /// Of the chunks that it keeps, in elements: the array's inner chunks.
  Extents const& chunk_shape() const { return state_->chunk_shape; }
  /// The queue in whose order this handle's chunks and memory are used: the cache's own, or that of `on`.
  queue_type& queue() const { return on_; }
  /// The same cache, for use in the order of another queue: `cache.on(queue).hold(box)`.
  ChunkCache on(queue_type const& queue) const {
    auto bound = *this;
    bound.on_ = queue;
    return bound;
  }

  using WithQueue::hold, WithQueue::hold_for_writing, WithQueue::read, WithQueue::write;

  /// Holds the chunks that a selection touches, in memory of space S: host memory, or device memory for an array on the
  /// device. Missing chunks are read together, those in the other space are copied; chunks in place need no CUDA call
  /// and no allocation. On the device, use them in the order of `queue()`. Throws: SelectionError; as a read; as a
  /// write of evicted chunks; Error, which names the held chunks, if the budget has no room for all; Error, if a chunk
  /// is held for writing. If it throws, no chunk is held.
  template <MemorySpace S = array_space, detail::Selector Sel = Box>
  Held<S> hold(Sel const& selection) const {
    if constexpr (detail::check_cached_space<S, array_space>())
      return {state_, detail::take<State::template level_of<S>>(*state_, selection, Access::reading, on_)};
    else
      return {state_, nullptr};
  }
  /// As `hold`, for changing elements; the chunks may not be held elsewhere. They are written back later: by
  /// `write_back`, by `flush`, and when they are evicted and find no room on the host.
  template <MemorySpace S = array_space, detail::Selector Sel = Box>
  HeldForWriting<S> hold_for_writing(Sel const& selection) const {
    if constexpr (detail::check_cached_space<S, array_space>() && detail::check_written_back<S, State>()) {
      detail::may_write(*state_);
      return {state_, detail::take<State::template level_of<S>>(*state_, selection, Access::writing, on_)};
    } else {
      return {state_, nullptr};
    }
  }

  /// Loads missing chunks into memory of space S, as many as there is room for. Returns when the host's work is done.
  /// Throws: as hold.
  template <MemorySpace S = array_space, detail::Selector Sel = Box>
  void prefetch(Sel const& selection) const {
    if constexpr (detail::check_cached_space<S, array_space>())
      detail::prefetch<State::template level_of<S>>(*state_, selection);
  }

  /// Loads chunks into memory of space S and keeps them there until they are placed elsewhere or `unplace` returns them
  /// to the policy. Throws: as hold.
  template <MemorySpace S, detail::Selector Sel = Box>
  void place(Sel const& selection) const {
    if constexpr (detail::check_cached_space<S, array_space>())
      detail::place<State::template level_of<S>>(*state_, selection);
  }
  template <detail::Selector Sel = Box>
  void unplace(Sel const& selection) const {
    detail::unplace(*state_, selection);
  }

  /// Reads a selection into memory of the array's space or host memory, through the cache: as many chunks at a time as
  /// there is room for. Elements on the device are valid in the order of `queue()`. Throws: as hold.
  template <detail::AnySelector Sel = Box, detail::MemoryOrMistake M>
  void read(Sel const& selection, M&& to) const {
    constexpr auto memory_rank = detail::memory_rank<Sel, rank>;
    if constexpr (!detail::check_cached_selection<Sel>()) {
    } else if constexpr (detail::check_cached_memory<element_type, memory_rank, array_space, M>()) {
      auto const what = detail::selected(*state_, selection, array().shape());
      auto const view = detail::caller_view<memory_rank>(to, what.shape);
      detail::move_selected<Access::reading>(state_, what, view, on_);
    }
  }
  /// Writes a selection from such memory into the cache; partly written chunks are read first. The memory is in use
  /// until `queue()` is done. Throws: as hold_for_writing; then some chunks may have been written.
  template <detail::AnySelector Sel = Box, detail::MemoryOrMistake M>
  void write(Sel const& selection, M const& from) const {
    constexpr auto memory_rank = detail::memory_rank<Sel, rank>;
    if constexpr (!detail::check_cached_selection<Sel>()) {
    } else if constexpr (detail::check_cached_memory<element_type, memory_rank, array_space, M const>() &&
                  detail::check_writable<typename A::store_type>()) {
      auto const what = detail::selected(*state_, selection, array().shape());
      auto const view = detail::caller_view<memory_rank>(from, what.shape);
      detail::may_write(*state_);
      detail::move_selected<Access::writing>(state_, what, view, on_);
    }
  }

  /// Writes dirty chunks back, except those held for writing, whose number it returns. When it returns, the store has
  /// the others. Throws: as a write; then chunks that are not in the store are still dirty.
  std::size_t write_back() const {
    auto const moving = state_->moving();
    return detail::write_back_all(*state_);
  }
  /// As `write_back`. Throws: Error too, if a chunk is held for writing.
  void flush() const {
    if (auto const changing = write_back(); changing > 0)
      throw state_->named(
          Error{to_text({changing, " chunks of a cache are held for writing: they are not flushed"})});
  }
  /// Writes dirty chunks back, then returns the memory of idle chunks to the device and the host. Throws: as a write.
  void clear() const {
    auto const moving = state_->moving();
    detail::write_back_all(*state_);
    detail::drop_idle<Level::near>(*state_);
    if constexpr (State::has_device) {
      detail::drop_idle<Level::host>(*state_);
      state_->order.own.trim();
    }
  }

  /// The spaces in which the cache has an inner chunk, given by its index in the grid of inner chunks. Throws:
  /// SelectionError, if the index has another number of dimensions.
  CachedPlaces where(Extents const& chunk) const { return detail::places_of(*state_, chunk); }
  /// May be called while other threads use the cache.
  CacheStatistics statistics() const { return detail::statistics_of(*state_); }

 private:
  std::shared_ptr<State> state_;
  queue_type mutable on_;  // const handles give it work; copies are the same queue
};

}}  // namespace tessera::v0
