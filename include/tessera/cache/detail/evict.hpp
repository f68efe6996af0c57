// make_room and evict: the least recently used chunks leave the device for the host, and the host for good.
// drop and keep_after_all: removing copies of a cache's chunks, and keeping those whose eviction failed.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/cache/detail/chunk_copies.hpp>
#include <tessera/cache/detail/write_back.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Drops a copy, and the chunk with its last copy. Requires: `moves` and `book`; the copy is not held.
template <Level L, class State>
void drop(State& s, typename State::Copy& copy) {
  auto& chunk = *copy.of;
  s.idle(L).remove(copy);
  s.template arena<L>().give_back(copy.slot);
  copy.data = nullptr;
  copy.is_there = false;
  if (L == Level::near) chunk.users = 0;
  if (chunk.is_nowhere()) {
    ++s.counted.forgotten;
    s.chunks.erase(chunk.number);
  } else if (auto& left = chunk.copies[State::other(L)]; left.is_linked()) {  // now the only copy
    auto& used = s.idle(L == Level::near ? Level::host : Level::near);
    used.remove(left);
    used.add_warmest(left);
  }
}

/// Takes up to `count` copies that are not held from the list, the least recently used first; clean chunks only, unless
/// `dirty_too`. Until they are dropped or put back, `is_there` is false. Requires: `moves`.
template <class State>
std::vector<typename State::Copy*> take_coldest(State& s, Level level, std::size_t count, bool dirty_too = true) {
  std::lock_guard lock{s.book};
  std::vector<typename State::Copy*> coldest;
  auto& idle = s.idle(level);
  coldest.reserve(std::min(count, idle.size()));  // so that no copy is lost between the lists
  for (auto* next = idle.coldest(); next && coldest.size() < count;) {
    auto& copy = *std::exchange(next, idle.after(*next));
    if (copy.of->is_dirty && !dirty_too) continue;
    coldest.push_back(&copy);
    idle.remove(copy);
    copy.is_there = false;
  }
  return coldest;
}
/// Puts such copies back, the warmest first, to keep their order.
template <class State>
void keep_after_all(State& s, Level level, std::vector<typename State::Copy*> const& copies) {
  std::lock_guard lock{s.book};
  for (auto i = copies.size(); i-- > 0;) {
    if (!copies[i]->data || copies[i]->is_there) continue;
    copies[i]->is_there = true;
    s.idle(level).add_coldest(*copies[i]);
  }
}

template <Level L, class State>
void evict(State& s, std::vector<typename State::Copy*> const& leaving);

/// Returns slots of a level: free ones, then new ones, then those of the least recently used chunks. Fewer than
/// `count`, if more chunks are held. Requires: `moves`. Throws: as a write of dirty chunks; if `needed`, as the
/// allocation, where memory is refused and no chunk can be evicted.
template <Level L, class State>
std::vector<Slot> make_room(State& s, std::size_t count, bool needed = true) {
  auto& arena = s.template arena<L>();
  auto& on = queue_in<typename State::template space_of_level<L>>(s.order.own);
  auto const lacking = [&] { return count - std::min(count, arena.slots().free()); };
  if (lacking() > 0) try {
      auto const least = std::min(lacking(), arena.capacity() - arena.slots().size());
      if (least > 0) arena.grow(least, on);
    } catch (Error const&) {  // first try to evict idle chunks
      std::lock_guard lock{s.book};
      if (needed && !s.idle(L).coldest()) throw;
    }
  if (auto const leaving = take_coldest(s, L, lacking()); !leaving.empty()) evict<L>(s, leaving);
  return arena.take(std::min(count, arena.slots().free()));
}

/// Holds the host copies of chunks that leave the device, so that the others do not evict them.
template <class State>
typename State::List hold_host_copies(State& s, std::vector<typename State::Copy*> const& leaving) {
  typename State::List kept;
  kept.reserve(leaving.size());
  std::lock_guard lock{s.book};
  for (auto const* copy : leaving)
    if (auto& on_host = copy->of->copies[1]; on_host.is_there) s.hold(on_host), kept.push_back(&on_host);
  return kept;
}

/// Copies chunks that only the device has to the host, if there is room and the policy keeps them there; `kept` gets
/// the copies, held. Returns the chunks not copied.
template <class State>
typename State::List spill(State& s, std::vector<typename State::Copy*> const& leaving, typename State::List& kept) {
  using Copy = typename State::Copy;
  std::vector<Copy*> spilled, others;
  for (auto* const copy : leaving)
    if (!copy->of->copies[1].data) {
      bool const may_stay_dirty = State::has_host_route || !copy->of->is_dirty;
      (copy->of->kept.host && may_stay_dirty ? spilled : others).push_back(copy);
    }
  auto const room = make_room<Level::host>(s, std::min(spilled.size(), s.host.capacity()), false);
  try {
    auto const lost = spilled.begin() + static_cast<std::ptrdiff_t>(spilled.size() - room.size());  // the coldest
    others.insert(others.end(), spilled.begin(), lost);
    spilled.erase(spilled.begin(), lost);
    // By address, so that they stay neighbours.
    std::ranges::sort(spilled, {}, [](Copy const* copy) { return copy->slot; });
    std::vector<SlotPair> pairs;
    for (std::size_t i = 0; i < spilled.size(); ++i) pairs.push_back({spilled[i]->slot, room[i]});
    copy_slots<Level::host>(s, pairs);
  } catch (...) {
    s.order.queued();  // copies may be under way: the host waits for them before it reuses the memory
    for (auto const slot : room) s.host.give_back(slot);
    throw;
  }
  auto const ready = s.order.queued();
  std::lock_guard lock{s.book};
  for (std::size_t i = 0; i < spilled.size(); ++i) {
    auto& on_host = spilled[i]->of->copies[1];
    on_host.slot = room[i];
    on_host.data = s.host.data(room[i]);
    on_host.ready = ready;
    on_host.is_there = true;
    s.hold(on_host), kept.push_back(&on_host);
  }
  s.counted.spills += spilled.size();
  return others;
}

/// Evicts copies from a level. A chunk without another copy is spilled, or written back if it is dirty. Throws: as
/// make_room; then copies that are still there stay.
template <Level L, class State>
void evict(State& s, std::vector<typename State::Copy*> const& leaving) {
  using Copy = typename State::Copy;
  typename State::List kept, last;  // kept: held host copies; last: the chunks' last copies
  try {
    if constexpr (L == Level::near && State::has_device) {
      s.order.join(s.users_of(leaving));
      kept = hold_host_copies(s, leaving);
      last = spill(s, leaving, kept);
    } else {
      for (auto* const copy : leaving)
        if (!copy->of->copies[State::other(L)].data) last.push_back(copy);
    }
    std::erase_if(last, [](Copy const* copy) { return !copy->of->is_dirty; });
    write_back<L>(s, last);
  } catch (...) {
    keep_after_all(s, L, leaving);
    std::lock_guard lock{s.book};
    for (auto* const copy : kept) s.let_go(*copy);
    throw;
  }
  std::lock_guard lock{s.book};
  for (auto* const copy : kept) s.let_go(*copy);
  for (auto* const copy : leaving) drop<L>(s, *copy);
}

/// The number of a level's slots that are free, can be added, or belong to chunks not held. Requires: `moves`.
template <Level L, class State>
std::size_t room_of(State& s) {
  std::lock_guard lock{s.book};
  auto const& arena = s.template arena<L>();
  return arena.capacity() - arena.slots().size() + arena.slots().free() + s.idle(L).size();
}

}}}  // namespace tessera::v0::detail
