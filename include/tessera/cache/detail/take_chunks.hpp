// take: looks chunks of a cache up: hits are returned, misses are loaded.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <tessera/array/detail/selection.hpp>
#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/cache/detail/hits.hpp>
#include <tessera/cache/detail/holding.hpp>
#include <tessera/cache/detail/wanted_chunks.hpp>
#include <tessera/metadata/detail/node_document.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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
