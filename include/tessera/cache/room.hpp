// Room for chunks in a cache's memory: the least recently used leave it, the device's to the host, the host's for good.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include <tessera/cache/cache_state.hpp>
#include <tessera/cache/chunk_copies.hpp>
#include <tessera/cache/leaving.hpp>
#include <tessera/cache/write_back.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <Level L, class State>
void evict(State& s, std::vector<typename State::Copy*> const& leaving);

/// Slots of a level: those that are free, then new ones, then those of the least recently used. Fewer than asked for,
/// if more chunks are held. Requires: `moves`. Throws: as a write of dirty chunks; if they are `needed`, as what
/// allocates, where memory is refused and no chunk can make room.
template <Level L, class State>
std::vector<Slot> make_room(State& s, std::size_t count, bool needed = true) {
  auto& arena = s.template arena<L>();
  auto& on = queue_in<typename State::template space_of_level<L>>(s.order.own);
  auto const lacking = [&] { return count - std::min(count, arena.slots().free()); };
  if (lacking() > 0) try {
      auto const least = std::min(lacking(), arena.capacity() - arena.slots().size());
      if (least > 0) arena.grow(least, on);
    } catch (Error const&) {  // before the refusal is believed, idle chunks go
      std::lock_guard lock{s.book};
      if (needed && !s.idle(L).coldest()) throw;
    }
  if (auto const leaving = take_coldest(s, L, lacking()); !leaving.empty()) evict<L>(s, leaving);
  return arena.take(std::min(count, arena.slots().free()));
}

/// Takes hold of what the host has of chunks that leave the device: it must not go to make room for the others.
template <class State>
typename State::List hold_host_copies(State& s, std::vector<typename State::Copy*> const& leaving) {
  typename State::List kept;
  kept.reserve(leaving.size());
  std::lock_guard lock{s.book};
  for (auto const* copy : leaving)
    if (auto& on_host = copy->of->copies[1]; on_host.is_there) s.hold(on_host), kept.push_back(&on_host);
  return kept;
}

/// What the device has alone goes to the host, where `kept` gets it, held, if there is room and the policy keeps it
/// there. Returns the others.
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
    // In the order of their memory, so that they stay neighbours.
    std::ranges::sort(spilled, {}, [](Copy const* copy) { return copy->slot; });
    std::vector<SlotPair> pairs;
    for (std::size_t i = 0; i < spilled.size(); ++i) pairs.push_back({spilled[i]->slot, room[i]});
    copy_slots<Level::host>(s, pairs);
  } catch (...) {
    s.order.queued();  // some may be on their way: the host waits for them before it has the memory
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

/// Copies leave a level. Chunks that would be nowhere then are spilled, or written back first where they are dirty.
/// Throws: as make_room; then those that are still there stay.
template <Level L, class State>
void evict(State& s, std::vector<typename State::Copy*> const& leaving) {
  using Copy = typename State::Copy;
  typename State::List kept, last;  // on the host; of their chunks
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

/// How many slots of a level are free, could be made, or are of chunks that nobody holds. Requires: `moves`.
template <Level L, class State>
std::size_t room_of(State& s) {
  std::lock_guard lock{s.book};
  auto const& arena = s.template arena<L>();
  return arena.capacity() - arena.slots().size() + arena.slots().free() + s.idle(L).size();
}

}}}  // namespace tessera::v0::detail
