// Copies of a cache's chunks that go, or were about to and stay.
#pragma once
#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include <tessera/cache/cache_state.hpp>

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

/// At most so many copies that nobody holds, the least recently used first; of clean chunks alone, or of dirty ones
/// too. They leave the list; until they are dropped or kept after all, they are not there. Requires: `moves`.
template <class State>
std::vector<typename State::Copy*> take_coldest(State& s, Level level, std::size_t count, bool dirty_too = true) {
  std::lock_guard lock{s.book};
  std::vector<typename State::Copy*> coldest;
  auto& idle = s.idle(level);
  coldest.reserve(std::min(count, idle.size()));  // what has left the list is not to be lost
  for (auto* next = idle.coldest(); next && coldest.size() < count;) {
    auto& copy = *std::exchange(next, idle.after(*next));
    if (copy.of->is_dirty && !dirty_too) continue;
    coldest.push_back(&copy);
    idle.remove(copy);
    copy.is_there = false;
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

}}}  // namespace tessera::v0::detail
