// hold_all: takes hold of many chunks of a cache, all or none; missing ones are loaded.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/cache/detail/evict.hpp>
#include <tessera/cache/detail/filling.hpp>
#include <tessera/cache/detail/refusals.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// One call, in steps. Requires: `moves`, during its lifetime.
template <Level L, class State>
class Holding {
  using Copy = typename State::Copy;
  using Wanted = typename State::Wanted;
  using List = typename State::List;
  static constexpr auto O = State::has_device && L == Level::near ? Level::host : Level::near;

 public:
  Holding(State& s, std::span<Wanted const> wanted, Extents const& array_shape, Access access, QueueUser user)
      : s_{s}, wanted_{wanted}, array_shape_{array_shape}, access_{access}, user_{user} {}

  /// `held` gets the copies; `made` gets those that are overwritten and had no copy before.
  void run(List& held, List* made) {
    expect_room();
    s_.order.join(users_of_stale_);
    held.reserve(wanted_.size());
    missing_.reserve(wanted_.size());
    sources_.reserve(wanted_.size());
    if (made) made->reserve(wanted_.size());
    try {
      take_hold(held);
      give_slots();
      bring(made);
      make_ready(held);
    } catch (...) {
      s_.order.queued();  // copies to memory that is given back may be under way: the host waits for them
      undo(held);
      throw;
    }
    finish(held);
  }

 private:
  typename State::Chunk* find(Wanted const& wanted) const {
    auto const found = s_.chunks.find(wanted.number);
    return found == s_.chunks.end() ? nullptr : found->second.get();
  }
  bool is_stale(typename State::Chunk const& chunk) const {
    return chunk.is_cut() || chunk.shape != s_.shape_of(chunk.number, array_shape_);
  }

  void expect_room() {
    auto const room = room_of<L>(s_);
    std::size_t taken = 0;
    {
      std::lock_guard lock{s_.book};
      s_.see_shape(array_shape_);
      for (auto const& wanted : wanted_) {
        auto* const chunk = find(wanted);
        if (chunk) expect_free(s_, *chunk, access_, s_.shape_of(wanted.number, array_shape_));
        if (chunk && is_stale(*chunk)) users_of_stale_ |= chunk->users;
        taken += !chunk || State::copy(*chunk, L).holds == 0;
      }
    }
    if (taken > room) refuse_room<L>(s_, taken);
  }

  void take_hold(List& held) {
    std::lock_guard lock{s_.book};
    for (auto const& wanted : wanted_) {
      auto* chunk = find(wanted);
      if (chunk) expect_free(s_, *chunk, access_, s_.shape_of(wanted.number, array_shape_));  // may be held by now
      if (chunk && is_stale(*chunk)) forget(*std::exchange(chunk, nullptr));
      if (!chunk) {
        auto fresh = std::make_unique<typename State::Chunk>(wanted.number);
        fresh->shape = fresh->uncut = s_.shape_of(wanted.number, array_shape_);
        s_.cut(*fresh);
        chunk = s_.chunks.emplace(wanted.number, std::move(fresh)).first->second.get();
      }
      chunk->shape_version = s_.version_for(array_shape_);
      chunk->kept = wanted.kept;
      auto& copy = State::copy(*chunk, L);
      s_.hold(copy);
      held.push_back(&copy);
      chunk->is_written = access_ != Access::reading;  // refuses others from here on
      if (copy.is_there) {
        ++s_.counted.hits;
        continue;
      }
      missing_.push_back(&copy);
      auto& source = State::copy(*chunk, O);
      if (!State::has_device || !source.is_there) continue;
      s_.hold(source);  // not evicted while room is made
      sources_.push_back(&source);
    }
  }
  // The last drop erases the chunk.
  void forget(typename State::Chunk& chunk) {
    bool const has_near = chunk.copies[0].data;
    if constexpr (State::has_device)
      if (chunk.copies[1].data) drop<Level::host>(s_, chunk.copies[1]);
    if (has_near) drop<Level::near>(s_, chunk.copies[0]);
  }

  void give_slots() {
    auto const slots = make_room<L>(s_, missing_.size());
    for (std::size_t i = 0; i < slots.size(); ++i) {
      missing_[i]->slot = slots[i];
      missing_[i]->data = s_.template arena<L>().data(slots[i]);
    }
    if (slots.size() < missing_.size()) refuse_room<L>(s_, missing_.size());  // others may hold more meanwhile
  }

  void bring(List* made) {
    auto lacking = missing_;
    if (access_ == Access::overwriting)
      std::erase_if(lacking, [&](Copy* copy) {
        bool const is_new = !State::has_device || !State::copy(*copy->of, O).data;
        if (is_new && made) made->push_back(copy);
        return is_new;
      });
    if (!lacking.empty()) fill<L>(s_, lacking);
  }

  // Orders the user's queue after the work so far, and the cache's queue after the users of chunks that may change.
  void make_ready(List const& held) {
    std::uint64_t users = 0;
    bool is_ready = missing_.empty();
    {
      std::lock_guard lock{s_.book};
      for (auto* const copy : held) {
        bool const may_be_changed = copy->ready == nowhere_yet || access_ != Access::reading;
        if (may_be_changed) users |= copy->of->users;
        is_ready = is_ready && !may_be_changed && s_.order.is_ready(copy->ready, user_);
      }
    }
    if (is_ready) return;
    s_.order.join(users);
    auto const now = s_.order.queued();
    s_.order.make_ready(user_);
    std::lock_guard lock{s_.book};
    s_.order.is_made_ready(user_);
    for (auto* const copy : held)
      if (!copy->is_there || copy->ready == nowhere_yet) copy->ready = now;
  }

  void undo(List& held) noexcept {
    std::lock_guard lock{s_.book};
    for (auto* const source : sources_) s_.let_go(*source);
    for (auto* const copy : held) {
      if (access_ != Access::reading) copy->of->is_written = false;
      s_.let_go(*copy);
    }
    for (auto* const copy : missing_) {
      if (copy->data)
        drop<L>(s_, *copy);
      else if (copy->of->is_nowhere())
        s_.chunks.erase(copy->of->number);
    }
    held.clear();
  }

  void finish(List const& held) {
    std::lock_guard lock{s_.book};
    if (!missing_.empty()) s_.see_shape(s_.array.shape());  // the array may have shrunk before it was read
    for (auto* const source : sources_) s_.let_go(*source);
    for (auto* const copy : held) {
      copy->is_there = true;
      copy->of->users |= s_.order.bit(user_);
      if (access_ == Access::reading) continue;
      if constexpr (State::has_device)
        if (auto& stale = State::copy(*copy->of, O); stale.data) drop<O>(s_, stale);
    }
    s_.counted.held += held.size();
  }

  State& s_;
  std::span<Wanted const> wanted_;
  Extents const& array_shape_;
  Access access_;
  QueueUser user_;
  std::uint64_t users_of_stale_ = 0;
  List missing_, sources_;  // missing: copies to fill; sources: their copies in the other level
};

/// Takes hold of chunks in a level, for a user. Chunks to be written have no other copy then. Requires: `moves`.
/// Throws: as a read or a write; Error, if chunks are held or there is no room; then none is held.
template <Level L, class State>
void hold_all(State& s, std::span<typename State::Wanted const> wanted, Extents const& array_shape, Access access,
              QueueUser user, typename State::List& held, typename State::List* made = nullptr) {
  Holding<L, State>{s, wanted, array_shape, access, user}.run(held, made);
}

}}}  // namespace tessera::v0::detail
