// drop and keep_after_all: removing copies of a cache's chunks, and keeping those whose eviction failed.
#pragma once
#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include <tessera/cache/detail/cache_state.hpp>

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

}}}  // namespace tessera::v0::detail
