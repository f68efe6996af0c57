// shrink and drop_idle: free memory of a cache, on request or for a read that is refused memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/cache/detail/evict.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Frees the slab of a level with the fewest chunks, none of them held; its chunks are evicted. Returns false without
/// such a slab. Requires: `moves`. Throws: as evict.
template <Level L, class State>
bool shrink(State& s) {
  auto& arena = s.template arena<L>();
  auto const& slots = arena.slots();
  std::vector<typename State::Copy*> leaving;
  std::optional<std::uint32_t> chosen;
  {
    std::lock_guard lock{s.book};
    std::vector<std::size_t> idle(slots.slabs(), 0);
    auto& used = s.idle(L);
    for (auto* copy = used.coldest(); copy; copy = used.after(*copy)) ++idle[copy->slot.slab];
    for (std::uint32_t slab = 0; slab < slots.slabs(); ++slab)
      if (slots.size(slab) > 0 && idle[slab] == slots.taken(slab) && (!chosen || idle[slab] < idle[*chosen]))
        chosen = slab;
    if (!chosen) return false;
    leaving.reserve(idle[*chosen]);  // so that no copy is lost between the lists
    for (auto* copy = used.coldest(); copy;) {
      auto* const next = used.after(*copy);
      if (copy->slot.slab == *chosen) {
        used.remove(*copy);
        copy->is_there = false;
        leaving.push_back(copy);
      }
      copy = next;
    }
  }
  if (!leaving.empty()) evict<L>(s, leaving);
  arena.remove_slab(*chosen);
  return true;
}

/// Runs f. Each time it is refused memory, evicts a slab of idle chunks from the device and tries again.
template <class State, class F>
void unless_out_of_memory(State& s, F&& f) {
  if constexpr (!State::has_device) {
    f();
  } else {
    for (;;) try {
        return f();
      } catch (OutOfMemory const&) {
        if (!shrink<Level::near>(s)) throw;
        s.order.own.trim();
      }
  }
}

/// Drops a level's copies that are not held, except those of dirty chunks, and frees empty slabs. Requires: `moves`.
template <Level L, class State>
void drop_idle(State& s) {
  auto const leaving = take_coldest(s, L, ~std::size_t{0}, false);  // dirty ones may be released meanwhile
  try {
    s.order.join(s.users_of(leaving));
  } catch (...) {
    keep_after_all(s, L, leaving);
    throw;
  }
  std::lock_guard lock{s.book};
  for (auto* const copy : leaving) drop<L>(s, *copy);
  auto& arena = s.template arena<L>();
  for (std::uint32_t slab = 0; slab < arena.slots().slabs(); ++slab)
    if (arena.slots().size(slab) > 0 && arena.slots().taken(slab) == 0) arena.remove_slab(slab);
}

}}}  // namespace tessera::v0::detail
