// fill: gives many copies their elements, copied from the cache's other memory, or read and decoded.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/cache/detail/chunk_copies.hpp>
#include <tessera/cache/detail/evict.hpp>
#include <tessera/cache/detail/shrink.hpp>
#include <tessera/cache/detail/write_back.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Reads and decodes chunks into copies of a level, in one read of the array. Requires: `moves`. Throws: as the read,
/// once nothing uses the copies any more.
template <Level L, class State>
void decode_into(State& s, std::vector<typename State::Copy*> const& copies) {
  ListedCopies<State> const listed{s, copies};
  if constexpr (L == Level::near) {
    auto const read = [&] {
      auto const begin = [&] {
        auto const array = s.array.untyped().on(s.order.own);
        return array.read_listed(listed.chunks, {listed.first, listed.strides}, s.options.read);
      };
      if constexpr (std::is_void_v<decltype(begin())>)
        begin();
      else
        begin().detach();  // the cache's queue orders all that follows
    };
    unless_out_of_memory(s, read);
  } else {
    s.order.host_waits();  // copies from this memory to the device may be under way
    auto const seen = s.array.untyped().template through<space::Host>(s.order.own.host());
    seen.read_listed(listed.chunks, {listed.first, listed.strides}, s.options.read);
  }
  std::lock_guard lock{s.book};
  s.counted.misses += copies.size();
  s.counted.decoded += copies.size() * s.near.slot_bytes();
}

/// For arrays without a host route: decodes on the device, in groups that fit there, and copies to the host.
template <class State>
void decode_through_device(State& s, std::vector<typename State::Copy*> const& copies) {
  for (std::size_t first = 0; first < copies.size();) {
    auto const room = make_room<Level::near>(s, std::min(copies.size() - first, s.near.capacity()));
    if (room.empty()) refuse_room<Level::near>(s, copies.size() - first);
    std::vector<typename State::Copy*> near;
    std::vector<SlotPair> pairs;
    auto const leave = [&] {
      for (auto* const copy : near) copy->data = nullptr;
      for (auto const slot : room) s.near.give_back(slot);
    };
    try {
      for (std::size_t i = 0; i < room.size(); ++i) {
        auto& there = *near.emplace_back(&copies[first + i]->of->copies[0]);
        there.slot = room[i];
        there.data = s.near.data(room[i]);
        pairs.push_back({room[i], copies[first + i]->slot});
      }
      decode_into<Level::near>(s, near);
      copy_slots<Level::host>(s, pairs);
    } catch (...) {
      leave();
      throw;
    }
    leave();
    first += room.size();
  }
}

/// Whether the host gets a chunk sooner from the store than from the device: the store lends it in host memory, and it
/// needs no decoding. Requires: `moves`.
template <class State>
bool is_cheaper_from_store(State& s) {
  if constexpr (State::has_device && State::has_host_route) {
    if (!s.lies_in_host_memory) {
      auto const seen = s.array.untyped().template through<space::Host>(s.order.own.host());
      auto const none = Extents::filled(State::rank, 0);
      Region const nothing{none, none, Extents::filled(State::rank, 1)};
      seen.for_chunks(nothing, Strides::filled(State::rank, 0),
                      [&](auto const& chunks) { s.lies_in_host_memory = chunks.lends() && chunks.form.is_view(); });
    }
    return *s.lies_in_host_memory;
  } else {
    return false;
  }
}

/// Gives copies their elements. Requires: `moves`; the copies have memory and are not in use. Throws: as a read.
template <Level L, class State>
void fill(State& s, std::vector<typename State::Copy*> const& copies) {
  std::vector<typename State::Copy*> unknown;
  std::vector<SlotPair> known;
  for (auto* const copy : copies) {
    auto const& chunk = *copy->of;
    auto const& other = chunk.copies[State::other(L)];
    if (State::has_device && other.data && (L == Level::near || chunk.is_dirty || !is_cheaper_from_store(s)))
      known.push_back({other.slot, copy->slot});
    else
      unknown.push_back(copy);
  }
  if constexpr (State::has_device) {
    if (L == Level::host) s.order.join(s.users_of(copies));  // users may have written to the chunks
    auto const count = known.size();
    if (count > 0) copy_slots<L>(s, known);
    std::lock_guard lock{s.book};
    (L == Level::near ? s.counted.returns : s.counted.shown) += count;
  }
  if (unknown.empty()) return;
  if constexpr (L == Level::near || State::has_host_route)
    decode_into<L>(s, unknown);
  else
    decode_through_device(s, unknown);
}

}}}  // namespace tessera::v0::detail
