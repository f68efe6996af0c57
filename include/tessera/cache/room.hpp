// Room for chunks in a cache's memory: the least recently used leave it, the device's to the host, the host's for good.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <mutex>
#include <string>
#include <vector>

#include <tessera/cache/cache_state.hpp>
#include <tessera/cache/chunk_copies.hpp>
#include <tessera/cache/write_back.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The copy goes, and the chunk if that was all of it. Requires: `moves` and `book`; nobody holds it.
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
  } else if (auto& left = chunk.copies[State::other(L)]; left.is_linked()) {  // now it is the only one
    auto& used = s.idle(L == Level::near ? Level::host : Level::near);
    used.remove(left);
    used.add_warmest(left);
  }
}

/// At most so many copies that nobody holds, the least recently used first. They leave the list; until they are dropped
/// or kept after all, they are not there. Requires: `moves`.
template <class State>
std::vector<typename State::Copy*> take_coldest(State& s, Level level, std::size_t count) {
  std::lock_guard lock{s.book};
  std::vector<typename State::Copy*> coldest;
  while (coldest.size() < count) {
    auto* const next = s.idle(level).coldest();
    if (!next) break;
    s.idle(level).remove(*next);
    next->is_there = false;
    coldest.push_back(next);
  }
  return coldest;
}
/// They stay. From the warmest on, so that their order is as it was.
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

// What leaves the device must not lose its copy on the host to the others that need room there.
template <class State>
void protect_host_copies(State& s, std::vector<typename State::Copy*> const& leaving) {
  std::lock_guard lock{s.book};
  for (auto const* copy : leaving) s.idle(Level::host).remove(copy->of->copies[1]);
}
// They are idle from now on, in the order in which they leave.
template <class State>
void link_host_copies(State& s, std::vector<typename State::Copy*> const& leaving) {
  std::lock_guard lock{s.book};
  for (auto* const copy : leaving)
    if (auto& kept = copy->of->copies[1]; kept.is_there && kept.holds == 0 && !kept.is_linked())
      s.idle(Level::host).add_warmest(kept);
}

/// Copies leave a level. What the device has alone goes to the host, if there is room and the policy keeps it there;
/// what is dirty and goes nowhere else is written back first. Throws: as make_room; then those that are still there
/// stay.
template <Level L, class State>
void evict(State& s, std::vector<typename State::Copy*> const& leaving) try {
  using Copy = typename State::Copy;
  constexpr bool may_spill = L == Level::near && State::has_device;
  std::vector<Copy*> last;  // of their chunks, not to be spilled
  if constexpr (may_spill) {
    std::uint64_t users = 0;
    for (auto const* copy : leaving) users |= copy->of->users;
    s.order.join(users);
    protect_host_copies(s, leaving);
    std::vector<Copy*> spilled;
    for (auto* const copy : leaving)
      if (!copy->of->copies[1].data) {
        bool const is_kept = s.policy.template keeps<space::Host>(copy->of->number.extents());
        bool const may_stay_dirty = State::has_host_route || !copy->of->is_dirty;
        (is_kept && may_stay_dirty ? spilled : last).push_back(copy);
      }
    auto const room = make_room<Level::host>(s, std::min(spilled.size(), s.host.capacity()), false);
    auto const lost = static_cast<std::ptrdiff_t>(spilled.size() - room.size());  // the coldest
    last.insert(last.end(), spilled.begin(), spilled.begin() + lost);
    spilled.erase(spilled.begin(), spilled.begin() + lost);
    std::vector<SlotPair> pairs;
    try {
      // In the order of their memory, so that they stay neighbours.
      std::ranges::sort(spilled, {}, [](Copy const* copy) { return copy->slot; });
      for (std::size_t i = 0; i < spilled.size(); ++i) pairs.push_back({spilled[i]->slot, room[i]});
      copy_slots<Level::host>(s, pairs);
    } catch (...) {
      for (auto const slot : room) s.host.give_back(slot);
      throw;
    }
    auto const ready = s.order.queued();
    std::lock_guard lock{s.book};
    for (std::size_t i = 0; i < spilled.size(); ++i) {
      auto& kept = spilled[i]->of->copies[1];
      kept.slot = room[i];
      kept.data = s.host.data(room[i]);
      kept.ready = ready;
      kept.is_there = true;
    }
    s.counted.spills += spilled.size();
  } else {
    for (auto* const copy : leaving)
      if (!copy->of->copies[State::other(L)].data) last.push_back(copy);
  }
  std::vector<Copy*> dirty;
  std::ranges::copy_if(last, std::back_inserter(dirty), [](Copy const* copy) { return copy->of->is_dirty; });
  write_back<L>(s, dirty);
  if constexpr (may_spill) link_host_copies(s, leaving);
  std::lock_guard lock{s.book};
  for (auto* const copy : leaving) drop<L>(s, *copy);
} catch (...) {
  keep_after_all(s, L, leaving);
  if constexpr (L == Level::near && State::has_device) link_host_copies(s, leaving);
  throw;
}

/// Says what holds the memory of a level. Requires: `moves`.
template <Level L, class State>
[[noreturn]] void refuse_room(State& s, std::size_t count) {
  std::string holders;
  std::size_t held = 0;
  {
    std::lock_guard lock{s.book};
    for (auto const& [number, chunk] : s.chunks) {
      auto const& copy = State::copy(*chunk, L);
      if (copy.holds == 0 || !copy.is_there) continue;
      if (++held > 8) continue;
      holders += text({held == 1 ? "" : ", ", to_string(number.extents()), copy.is_placed ? " (placed)" : ""});
    }
  }
  auto const& arena = s.template arena<L>();
  auto const where = L == Level::near && State::has_device ? "device" : "host";
  throw Error{text({"a cache has no room in ", where, " memory for ", count, " chunks of ", arena.slot_bytes(),
                    " bytes each: its budget of ", arena.budget(), " bytes has room for ", arena.capacity(),
                    ", of which ", held, " are held", held > 0 ? ": chunks " : "", holders, held > 8 ? ", ..." : ""})}
      .in_key(s.array.untyped().path())
      .in_store(name_of(s.array.untyped().store()));
}

/// How many slots of a level are free, could be made, or are of chunks that nobody holds. Requires: `moves`.
template <Level L, class State>
std::size_t room_of(State& s) {
  std::lock_guard lock{s.book};
  auto const& arena = s.template arena<L>();
  return arena.capacity() - arena.slots().size() + arena.slots().free() + s.idle(L).size();
}

}}}  // namespace tessera::v0::detail
