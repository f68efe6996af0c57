// Taking hold of chunks of a cache, many at once: all of them or none.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include <tessera/cache/cache_state.hpp>
#include <tessera/cache/filling.hpp>
#include <tessera/cache/room.hpp>
#include <tessera/cache/wanted_chunks.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What somebody wants chunks for. Who overwrites them needs no elements of those that are nowhere.
enum class Access { reading, writing, overwriting };

template <class State>
using HeldList = typename State::List;

/// Lets go of what is held; what was changed is dirty. Requires: `book`.
template <class State>
void let_go_of(State& s, HeldList<State> const& held, Access access, bool is_changed = true) noexcept {
  for (auto* const copy : held) {
    if (access != Access::reading) {
      copy->of->is_written = false;
      copy->of->is_dirty = copy->of->is_dirty || is_changed;
      if (State::has_device && copy == &copy->of->copies[0]) copy->ready = nowhere_yet;
    }
    s.let_go(*copy);
  }
  s.counted.held -= held.size();
}

// Throws: Error, if somebody holds a chunk so that it cannot be had.
template <class State>
void expect_free(State& s, typename State::Chunk const& chunk, Access access, Extents const& shape) {
  bool const is_stale = (chunk.is_cut || chunk.shape != shape) && (chunk.holds() > 0 || chunk.is_dirty);
  if (!chunk.is_written && (access == Access::reading || chunk.holds() == 0) && !is_stale) return;
  bool const is_placed = chunk.copies[0].is_placed || chunk.copies[1].is_placed;
  auto const problem = chunk.is_written         ? text({"is held by somebody who writes to it"})
                       : is_placed && !is_stale ? text({"is placed, and is to be written: unplace it before"})
                       : is_stale
                           ? text({"has the shape ", to_string(chunk.shape), " in the cache and ", to_string(shape),
                                   " in the array, which was resized: flush and clear "
                                   "the cache before"})
                           : text({"is held by ", chunk.holds(), " who read it, and is to be written"});
  throw Error{text({"chunk ", to_string(chunk.number.extents()), " of a cache ", problem})}
      .in_key(s.array.untyped().path())
      .in_store(name_of(s.array.untyped().store()));
}

/// The queue's number, from now on. Requires: `moves`.
template <class State>
QueueUser known_user(State& s, typename State::queue_type const& on) {
  std::lock_guard lock{s.book};
  auto const found = s.order.find(on);
  return found ? *found : s.order.add(on);
}

/// Takes hold of chunks, which are wanted in a level by a user. The ones that are not there come there; what is to be
/// written has no other copy then. `held` gets them, and `made` those that are overwritten and were nowhere. Requires:
/// `moves`. Throws: as a read or a write; Error, where chunks are held or there is no room; then none is held.
template <Level L, class State>
void hold_all(State& s, std::vector<typename State::Number> const& numbers, Extents const& array_shape, Access access,
              QueueUser user, HeldList<State>& held, HeldList<State>* made = nullptr) {
  using Copy = typename State::Copy;
  constexpr auto O = State::has_device && L == Level::near ? Level::host : Level::near;
  HeldList<State> missing, sources;
  std::uint64_t users_of_stale = 0;
  auto const room = room_of<L>(s);
  std::size_t taken = 0;
  {
    std::lock_guard lock{s.book};
    s.see_shape(array_shape);
    for (auto const& number : numbers) {
      auto const found = s.chunks.find(number);
      if (found == s.chunks.end()) {
        ++taken;
        continue;
      }
      expect_free(s, *found->second, access, s.shape_of(number, array_shape));
      auto const& copy = State::copy(*found->second, L);
      taken += copy.holds == 0;
    }
  }
  if (taken > room) refuse_room<L>(s, taken);
  {
    std::lock_guard lock{s.book};
    held.reserve(numbers.size());
    for (auto const& number : numbers) {
      auto const shape = s.shape_of(number, array_shape);
      auto found = s.chunks.find(number);
      if (found != s.chunks.end() && (found->second->is_cut || found->second->shape != shape)) {
        auto const stale = found->second.get();  // gone with its last copy
        users_of_stale |= stale->users;
        if (State::has_device && stale->copies[1].data && stale->copies[0].data) drop<Level::host>(s, stale->copies[1]);
        if (stale->copies[0].data)
          drop<Level::near>(s, stale->copies[0]);
        else if constexpr (State::has_device)
          drop<Level::host>(s, stale->copies[1]);
        found = s.chunks.end();
      }
      if (found == s.chunks.end()) {
        found = s.chunks.emplace(number, std::make_unique<typename State::Chunk>(number)).first;
        found->second->shape = shape;
      }
      auto& chunk = *found->second;
      chunk.shape_version = s.shape_version;
      auto& copy = State::copy(chunk, L);
      held.push_back(&copy);
      if (copy.is_there) {
        ++s.counted.hits;
      } else {
        missing.push_back(&copy);
        if (State::has_device && State::copy(chunk, O).is_there) sources.push_back(&State::copy(chunk, O));
      }
      s.hold(copy);
    }
    for (auto* const source : sources) s.hold(*source);  // it stays while room is made
  }
  auto const let_sources_go = [&] {
    for (auto* const source : sources) s.let_go(*source);
  };
  try {
    s.order.join(users_of_stale);
    auto const slots = make_room<L>(s, missing.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      missing[i]->slot = slots[i];
      missing[i]->data = s.template arena<L>().data(slots[i]);
    }
    if (slots.size() < missing.size()) refuse_room<L>(s, missing.size());  // others took hold meanwhile
    auto wanted = missing;
    if (access == Access::overwriting)
      std::erase_if(wanted, [&](Copy* copy) {
        bool const is_new = !State::has_device || !State::copy(*copy->of, O).data;
        if (is_new && made) made->push_back(copy);
        return is_new;
      });
    if (!wanted.empty()) fill<L>(s, wanted);
    std::uint64_t users = 0;
    bool is_ready = missing.empty();
    for (auto* const copy : held) {
      bool const may_be_changed = copy->ready == nowhere_yet || access != Access::reading;
      if (may_be_changed) users |= copy->of->users;
      is_ready = is_ready && !may_be_changed && s.order.is_ready(copy->ready, user);
    }
    if (!is_ready) {
      s.order.join(users);
      auto const now = s.order.queued();
      std::lock_guard lock{s.book};
      for (auto* const copy : held)
        if (!copy->is_there || copy->ready == nowhere_yet) copy->ready = now;
      s.order.make_ready(user);
    }
  } catch (...) {
    std::lock_guard lock{s.book};
    let_sources_go();
    for (auto* const copy : held) s.let_go(*copy);
    for (auto* const copy : missing) {
      if (copy->data)
        drop<L>(s, *copy);
      else if (copy->of->is_nowhere())
        s.chunks.erase(copy->of->number);
    }
    held.clear();
    throw;
  }
  std::lock_guard lock{s.book};
  let_sources_go();
  for (auto* const copy : held) {
    copy->is_there = true;
    copy->of->users |= s.order.bit(user);
    if (access == Access::reading) continue;
    copy->of->is_written = true;
    if constexpr (State::has_device)
      if (auto& stale = State::copy(*copy->of, O); stale.data) {
        copy->of->is_dirty = true;
        drop<O>(s, stale);
      }
  }
  if constexpr (State::has_device && L == Level::near)
    for (auto* const source : sources)  // the first that the host can do without
      if (source->data && source->is_linked()) s.idle(O).remove(*source), s.idle(O).add_coldest(*source);
  s.counted.held += held.size();
}

/// Takes hold of what a selection of an array of that shape touches: at once, if all of it is where it is wanted.
/// Returns the list of it.
template <Level L, class What, class State>
std::unique_ptr<HeldList<State>> take_hold(State& s, What const& what, Extents const& array_shape, Access access,
                                           typename State::queue_type const& on) {
  std::unique_ptr<HeldList<State>> held;
  std::optional<QueueUser> user;
  {
    std::lock_guard lock{s.book};
    held = s.take_list();
    s.see_shape(array_shape);
    user = L == Level::host ? QueueUser{QueueUser::host} : s.order.find(on);
    if (access == Access::reading && user) {
      bool const all = for_each_chunk<State::rank>(what, s.chunk_shape, [&](auto const& number) {
        auto& next = held->emplace_back(nullptr);
        next = s.hit(number, L, *user);
        if (!next) held->pop_back();
        return next != nullptr;
      });
      if (all) {
        s.counted.hits += held->size();
        s.counted.held += held->size();
        return held;
      }
      for (auto* const copy : *held) s.let_go(*copy);
      held->clear();
    }
  }
  std::lock_guard moving{s.moves};
  std::vector<typename State::Number> numbers;
  for_each_chunk<State::rank>(what, s.chunk_shape, [&](auto const& number) {
    numbers.push_back(number);
    return true;
  });
  if (!user) user = known_user(s, on);
  hold_all<L>(s, numbers, array_shape, access, *user, *held);
  return held;
}

}}}  // namespace tessera::v0::detail
