// take: looks chunks of a cache up: hits are returned, misses are loaded.
// hit_all: takes hold of chunks that are in place, without a CUDA call or an allocation.
// touched_chunks: the inner chunks that a selection touches.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/array/detail/selection.hpp>
#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/cache/detail/cached_chunk.hpp>
#include <tessera/cache/detail/holding.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Takes hold of a chunk that is in place and ready for `user`; otherwise returns null. Requires: `book`.
template <class State>
typename State::Copy* hit(State& s, typename State::Number const& number, Level level, QueueUser user) {
  auto const found = s.chunks.find(number);
  if (found == s.chunks.end()) return nullptr;
  auto& chunk = *found->second;
  auto& wanted = State::copy(chunk, level);
  if (!wanted.is_there || chunk.is_written || !s.order.is_ready(wanted.ready, user)) return nullptr;
  if (chunk.shape_version != s.shape_version) return nullptr;
  s.hold(wanted);
  chunk.users |= s.order.bit(user);
  return &wanted;
}

/// Takes hold of chunks, if all are hits; otherwise holds none and returns null. `for_each_chunk(f)` calls f(number)
/// for each, until it returns false, and returns whether it never did.
template <Level L, class State, class ForEach>
std::unique_ptr<typename State::List> hit_all(State& s, Extents const& array_shape,
                                              typename State::queue_type const& on, ForEach&& for_each_chunk) {
  std::lock_guard lock{s.book};
  if (!s.see_shape(array_shape)) return nullptr;
  std::optional<QueueUser> user{QueueUser{QueueUser::host}};
  if constexpr (L == Level::near) user = s.order.find(on);
  if (!user) return nullptr;
  auto held = s.take_list();
  auto const let_go = [&] {
    for (auto* const copy : *held) s.let_go(*copy);
    s.give_back(std::move(held));
  };
  try {
    bool const all = for_each_chunk([&](auto const& number) {
      auto& next = held->emplace_back(nullptr);
      next = hit(s, number, L, *user);
      if (!next) held->pop_back();
      return next != nullptr;
    });
    if (!all) return let_go(), nullptr;
  } catch (...) {  // the list could not grow
    let_go();
    throw;
  }
  s.counted.hits += held->size();
  s.counted.held += held->size();
  return held;
}

/// Neighbouring chunks: those touched by a region whose steps are no longer than chunks. Needs no allocation.
template <std::size_t Rank>
class ChunkRange {
 public:
  /// Adds the region's dimension d.
  void add(std::size_t d, Steps const& selected, std::uint64_t chunk_length) {
    if (selected.step > chunk_length) are_neighbours_ = false;
    if (selected.count == 0) return void(is_empty_ = true);
    auto const first = selected.first / chunk_length, rest = selected.first % chunk_length;
    auto const end = rest + (selected.count - 1) * selected.step;
    first_.place[d] = first;
    last_.place[d] = end < chunk_length ? first : first + end / chunk_length;
  }
  /// False: the range must not be used.
  bool are_neighbours() const { return are_neighbours_; }

  /// Calls f(number) for each chunk, in C order, until it returns false. Returns whether it never did.
  template <class F>
  bool for_each(F&& f) const {
    if (is_empty_) return true;
    for (auto at = first_;;) {
      if (!f(std::as_const(at))) return false;
      auto d = Rank;
      for (;;) {
        if (d-- == 0) return true;
        if (at.place[d]++ < last_.place[d]) break;
        at.place[d] = first_.place[d];
      }
    }
  }

 private:
  ChunkNumber<Rank> first_, last_;
  bool is_empty_ = false, are_neighbours_ = true;
};

/// The chunks that a box touches. Throws: SelectionError.
template <std::size_t Rank>
ChunkRange<Rank> touched_chunks(Box const& box, Extents const& array_shape, Extents const& chunk_shape) {
  ChunkRange<Rank> range;
  box.for_each_dimension(array_shape,
                         [&](std::size_t d, Steps const& selected) { range.add(d, selected, chunk_shape[d]); });
  return range;
}

/// The chunks that any selection touches, one for each piece of its plan.
template <std::size_t Rank>
std::vector<ChunkNumber<Rank>> touched_chunks(Plan const& plan) {
  std::vector<ChunkNumber<Rank>> numbers;
  numbers.reserve(plan.size());
  plan.for_each_piece(0, plan.size(), [&](Piece const& piece) {
    auto& number = numbers.emplace_back();
    for (std::size_t d = 0; d < Rank; ++d) number.place[d] = piece.chunk[d];
  });
  return numbers;
}

/// Resolves a selection. Throws: SelectionError, which names the array.
template <class State, class Sel>
ResolvedSelection selected(State const& s, Sel const& selection, Extents const& array_shape) {
  auto const& array = s.array.untyped();
  return in_document(array.store(), array.path(),
                     [&] { return ResolvedSelection{selected_by(selection, array_shape, s.array.chunk_shape())}; });
}
template <class State, class Sel>
std::vector<typename State::Number> numbers_of(State const& s, Sel const& selection, Extents const& array_shape) {
  return touched_chunks<State::rank>(Plan{selected(s, selection, array_shape), s.chunk_shape});
}

/// The queue's user number, assigned on first use. Requires: `moves`. Throws: Error, if the queue is of another GPU.
template <class State>
QueueUser known_user(State& s, typename State::queue_type const& on) {
  std::lock_guard lock{s.book};
  auto const found = s.order.find(on);
  return found ? *found : s.naming([&] { return s.order.add(on); });
}
/// The user for a level and a queue. Requires: `moves`.
template <Level L, class State>
QueueUser user_of(State& s, typename State::queue_type const& on) {
  if constexpr (L == Level::host)
    return {QueueUser::host};
  else
    return known_user(s, on);
}

/// Takes hold of the chunks that a selection touches, for reading, if all are hits; otherwise holds none and returns
/// null.
template <Level L, class State, class Sel>
std::unique_ptr<typename State::List> take_hits(State& s, Sel const& selection, Extents const& array_shape,
                                                typename State::queue_type const& on) {
  if constexpr (std::same_as<Sel, Box>) {
    auto const& array = s.array.untyped();
    auto const range = in_document(array.store(), array.path(),
                                   [&] { return touched_chunks<State::rank>(selection, array_shape, s.chunk_shape); });
    if (!range.are_neighbours()) return nullptr;
    return hit_all<L>(s, array_shape, on, [&](auto&& f) { return range.for_each(f); });
  } else {
    auto const numbers = numbers_of(s, selection, array_shape);
    return hit_all<L>(s, array_shape, on, [&](auto&& f) { return std::ranges::all_of(numbers, f); });
  }
}

/// Takes hold of the chunks that a selection touches. Returns their list.
template <Level L, class State, class Sel>
std::unique_ptr<typename State::List> take(State& s, Sel const& selection, Access access,
                                           typename State::queue_type const& on) {
  auto const shape = s.array.shape();
  if (access == Access::reading)
    if (auto held = take_hits<L>(s, selection, shape, on)) return held;
  auto const wanted = s.wanted(numbers_of(s, selection, shape));
  auto const moving = s.moving();
  auto const user = user_of<L>(s, on);
  auto held = s.with_book([&] { return s.take_list(); });
  try {
    hold_all<L>(s, wanted, shape, access, user, *held);
  } catch (...) {
    s.with_book([&] { s.give_back(std::move(held)); });
    throw;
  }
  return held;
}

/// Loads missing chunks into a level, as many as there is room for.
template <Level L, class State, class Sel>
void prefetch(State& s, Sel const& selection) {
  auto const shape = s.array.shape();
  auto wanted = s.wanted(numbers_of(s, selection, shape));
  auto const moving = s.moving();
  auto room = room_of<L>(s);
  {
    std::lock_guard lock{s.book};
    auto const end = std::ranges::find_if(wanted, [&](auto const& next) {  // held chunks need no room
      auto const found = s.chunks.find(next.number);
      bool const takes = found == s.chunks.end() || State::copy(*found->second, L).holds == 0;
      return takes && room-- == 0;
    });
    wanted.erase(end, wanted.end());
  }
  typename State::List held;
  hold_all<L>(s, wanted, shape, Access::reading, user_of<L>(s, s.order.own), held);
  std::lock_guard lock{s.book};
  let_go_of(s, held, Access::reading);
}

/// Ends the placing of chunks.
template <class State, class Sel>
void unplace(State& s, Sel const& selection) {
  auto const numbers = numbers_of(s, selection, s.array.shape());
  std::lock_guard lock{s.book};
  for (auto const& number : numbers)
    if (auto const found = s.chunks.find(number); found != s.chunks.end())
      for (auto& copy : found->second->copies) s.unplace(copy);
}
/// Loads chunks into a level, where they stay until placed elsewhere or unplaced.
template <Level L, class State, class Sel>
void place(State& s, Sel const& selection) {
  unplace(s, selection);
  auto held = take<L>(s, selection, Access::reading, s.order.own);
  std::lock_guard lock{s.book};
  for (auto* const copy : *held)
    if (!std::exchange(copy->is_placed, true)) s.hold(*copy), ++s.counted.held;
  let_go_of(s, *held, Access::reading);
  s.give_back(std::move(held));
}

}}}  // namespace tessera::v0::detail
