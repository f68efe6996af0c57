// HeldChunks: chunks that a cache holds for a caller, with views of their elements. They do not move meanwhile.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/cache/detail/refusals.hpp>
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

}}  // namespace tessera::v0
