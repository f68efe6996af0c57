// hit_all: takes hold of chunks that are in place, without a CUDA call or an allocation.
#pragma once
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <tessera/cache/detail/cache_state.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Takes hold of a chunk that is in place and ready for `user`; otherwise returns null. Requires: `book`.
template <class State>
typename State::Copy* hit(State& s, typename State::Number const& number, Level level, QueueUser user) {
  auto const found = s.chunks.find(number);
  if (found == s.chunks.end()) return nullptr;
  auto& chunk = *found->second;
  auto& wanted = State::copy(chunk, level);
  if (!wanted.is_there || chunk.is_written || !s.order.is_ready(wanted.ready, user)) return nullptr;
  if (chunk.shape_version != s.shape_version) return nullptr;
  s.hold(wanted);
  chunk.users |= s.order.bit(user);
  return &wanted;
}

/// Takes hold of chunks, if all are hits; otherwise holds none and returns null. `for_each_chunk(f)` calls f(number)
/// for each, until it returns false, and returns whether it never did.
template <Level L, class State, class ForEach>
std::unique_ptr<typename State::List> hit_all(State& s, Extents const& array_shape,
                                              typename State::queue_type const& on, ForEach&& for_each_chunk) {
  std::lock_guard lock{s.book};
  s.see_shape(array_shape);
  std::optional<QueueUser> user{QueueUser{QueueUser::host}};
  if constexpr (L == Level::near) user = s.order.find(on);
  if (!user) return nullptr;
  auto held = s.take_list();
  auto const let_go = [&] {
    for (auto* const copy : *held) s.let_go(*copy);
    s.give_back(std::move(held));
  };
  try {
    bool const all = for_each_chunk([&](auto const& number) {
      auto& next = held->emplace_back(nullptr);
      next = hit(s, number, L, *user);
      if (!next) held->pop_back();
      return next != nullptr;
    });
    if (!all) return let_go(), nullptr;
  } catch (...) {  // the list could not grow
    let_go();
    throw;
  }
  s.counted.hits += held->size();
  s.counted.held += held->size();
  return held;
}

}}}  // namespace tessera::v0::detail
