// Decoded chunks of an array that a program keeps, within a budget: in host memory, or on the device and, when there is
// no room, in page-locked memory. For an array on the device include cache/chunk_cache.cuh.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/array.hpp>
#include <tessera/cache/cache_checks.hpp>
#include <tessera/cache/cache_state.hpp>
#include <tessera/cache/held_chunks.hpp>
#include <tessera/cache/policy.hpp>
#include <tessera/cache/selected_elements.hpp>
#include <tessera/cache/shrink.hpp>
#include <tessera/cache/statistics.hpp>
#include <tessera/cache/taking.hpp>
#include <tessera/cache/write_back.hpp>

namespace tessera { inline namespace v0 {

/// A handle: copies are the same cache. Chunks are the array's inner chunks, those that are decoded alone. For any
/// thread and any queue of its GPU. What others write to the store, and to the array beside the cache, the cache does
/// not see before `clear`. When the last handle goes, dirty chunks are written back, and an error of that is dropped:
/// `flush` reports it.
///
/// The cache's own queue reads, spills and returns chunks: the array's, if you give none. Give it another one than the
/// kernels' so that it works beside them. It keeps each queue that chunks were held on.
template <class A, class Policy = KeepEverywhere>
class ChunkCache {
  using State = detail::CacheState<A, Policy>;
  using Access = detail::Access;
  using Level = detail::Level;

 public:
  using array_type = A;
  using element_type = typename A::element_type;
  using array_space = typename A::array_space;
  using queue_type = typename A::queue_type;
  static constexpr std::size_t rank = A::rank;
  template <MemorySpace S>
  using Held = HeldChunks<State, S, Access::reading>;
  template <MemorySpace S>
  using HeldForWriting = HeldChunks<State, S, Access::writing>;

  /// Throws: MetadataError, if elements are strings or bytes of any length, or the grid of chunks is rectilinear.
  ChunkCache(A array, CacheBudget const& budget, Policy policy = {}, CacheOptions const& options = {})
      : ChunkCache{array, budget, std::move(policy), options, array.untyped().queue()} {}
  ChunkCache(A array, CacheBudget const& budget, Policy policy, CacheOptions const& options, queue_type on)
      : state_{new State{std::move(array), budget, std::move(policy), options, std::move(on)},
               detail::WriteBackAtTheEnd{}} {}

  A const& array() const { return state_->array; }
  Extents const& chunk_shape() const { return state_->chunk_shape; }
  /// The cache's own queue.
  queue_type& queue() const { return state_->order.own; }

  /// Takes hold of the chunks that a selection touches, in memory of space S: the host's, or the device's for an array
  /// on the device. Missing ones are read at once, others copied; the ones that are there cost no call of CUDA's and no
  /// allocation. On the device use them in the order of `on`. Throws: SelectionError; as a read, or as a write of
  /// chunks that make room; Error, which says what holds the memory, if the budget has no room for all; Error, if
  /// somebody writes to one of them. Then it holds none.
  template <MemorySpace S = array_space, detail::Selector Sel = Box>
  Held<S> hold(Sel const& selection, queue_type& on) const {
    if constexpr (detail::check_cached_space<S, array_space>())
      return {state_, detail::take<State::template level_of<S>>(*state_, selection, Access::reading, on)};
    else
      return {state_, nullptr};
  }
  template <MemorySpace S = array_space, detail::Selector Sel = Box>
  Held<S> hold(Sel const& selection) const {
    return hold<S>(selection, queue());
  }
  /// Likewise, to change their elements: nobody else may hold them. They are written back later: when they make room
  /// for others and have none on the host, by `write_back` and by `flush`.
  template <MemorySpace S = array_space, detail::Selector Sel = Box>
  HeldForWriting<S> hold_for_writing(Sel const& selection, queue_type& on) const {
    if constexpr (detail::check_cached_space<S, array_space>() && detail::check_written_back<S, State>()) {
      detail::may_write(*state_);
      return {state_, detail::take<State::template level_of<S>>(*state_, selection, Access::writing, on)};
    } else {
      return {state_, nullptr};
    }
  }
  template <MemorySpace S = array_space, detail::Selector Sel = Box>
  HeldForWriting<S> hold_for_writing(Sel const& selection) const {
    return hold_for_writing<S>(selection, queue());
  }

  /// Brings chunks to memory of space S that are not there, as many as there is room for. Returns when the host has
  /// done its part. Throws: as hold.
  template <MemorySpace S = array_space, detail::Selector Sel = Box>
  void prefetch(Sel const& selection) const {
    if constexpr (detail::check_cached_space<S, array_space>())
      detail::prefetch<State::template level_of<S>>(*state_, selection);
  }

  /// Brings chunks to memory of space S and keeps them there, until they are placed elsewhere or `unplace` leaves them
  /// to the policy again. Throws: as hold.
  template <MemorySpace S, detail::Selector Sel = Box>
  void place(Sel const& selection) const {
    if constexpr (detail::check_cached_space<S, array_space>())
      detail::place<State::template level_of<S>>(*state_, selection);
  }
  template <detail::Selector Sel = Box>
  void unplace(Sel const& selection) const {
    detail::unplace(*state_, selection);
  }

  /// Reads a selection into memory of the array's space or of the host's, through the cache: as many chunks at a time
  /// as there is room for. Elements on the device are there in the order of `on`. Throws: as hold.
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  void read(Sel const& selection, M&& to, queue_type& on) const {
    constexpr auto memory_rank = detail::memory_rank<Sel, rank>;
    if constexpr (detail::check_cached_memory<element_type, memory_rank, array_space, M>()) {
      auto const what = detail::selected(*state_, selection, array().shape());
      auto const view = detail::caller_view<memory_rank>(to, what.shape);
      detail::move_selected<Access::reading>(state_, what, view, on);
    }
  }
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  void read(Sel const& selection, M&& to) const {
    read(selection, to, queue());
  }
  /// Writes a selection from such memory into the cache: chunks that are written in part are read first. The memory is
  /// in use until `on` is done. Throws: as hold_for_writing; then some chunks may be written, and others not.
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  void write(Sel const& selection, M const& from, queue_type& on) const {
    constexpr auto memory_rank = detail::memory_rank<Sel, rank>;
    if constexpr (detail::check_cached_memory<element_type, memory_rank, array_space, M const>() &&
                  detail::check_writable<typename A::store_type>()) {
      auto const what = detail::selected(*state_, selection, array().shape());
      auto const view = detail::caller_view<memory_rank>(from, what.shape);
      detail::may_write(*state_);
      detail::move_selected<Access::writing>(state_, what, view, on);
    }
  }
  template <detail::Selector Sel = Box, detail::MemoryOrMistake M>
  void write(Sel const& selection, M const& from) const {
    write(selection, from, queue());
  }

  /// Writes dirty chunks back, but for those that somebody is writing to. Returns how many these are. When it returns,
  /// the store has the others. Throws: as a write; then what is not in the store is dirty as before.
  std::size_t write_back() const {
    auto const moving = state_->moving();
    return detail::write_back_all(*state_);
  }
  /// Likewise. Throws: Error too, if somebody is writing to a chunk.
  void flush() const {
    if (auto const changing = write_back(); changing > 0)
      throw state_->named(
          Error{text({changing, " chunks of a cache are held by somebody who writes to them: they are not flushed"})});
  }
  /// Gives the memory of idle chunks back, to the device and to the host; dirty ones are written back before. Throws:
  /// as a write.
  void clear() const {
    auto const moving = state_->moving();
    detail::write_back_all(*state_);
    detail::drop_idle<Level::near>(*state_);
    if constexpr (State::has_device) {
      detail::drop_idle<Level::host>(*state_);
      queue().trim();
    }
  }

  /// Where the cache has an inner chunk, given by its place in the grid of inner chunks. Throws: SelectionError, if it
  /// has another number of dimensions.
  CachedPlaces where(Extents const& chunk) const { return detail::places_of(*state_, chunk); }
  /// Also while others work.
  CacheStatistics statistics() const { return detail::statistics_of(*state_); }

 private:
  std::shared_ptr<State> state_;
};

}}  // namespace tessera::v0
