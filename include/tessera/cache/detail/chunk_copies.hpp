// copy_slots: copies chunks between a cache's two memories; slots that are neighbours in both share one copy.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/cache/detail/slots.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/memory/bytes.hpp>

namespace tessera { inline namespace v0 { namespace detail {

struct SlotPair {
  Slot from, to;
};

/// Sorts pairs, and calls f(first pair, number of pairs) for each run that one copy can move.
template <class F>
void for_each_run(std::vector<SlotPair>& pairs, F&& f) {
  std::ranges::sort(pairs, {}, &SlotPair::from);
  for (std::size_t first = 0, last; first < pairs.size(); first = last) {
    last = first + 1;
    while (last < pairs.size() && pairs[last - 1].from.is_followed_by(pairs[last].from) &&
           pairs[last - 1].to.is_followed_by(pairs[last].to))
      ++last;
    f(pairs[first], last - first);
  }
}

/// Copies slots of the other level to level To, in the order of the cache's queue. Requires: `moves`. Throws:
/// DeviceError; then some are copied.
template <Level To, class State>
void copy_slots(State& s, std::vector<SlotPair>& pairs) {
  constexpr auto From = To == Level::near ? Level::host : Level::near;
  using to_space = typename State::template space_of_level<To>;
  using from_space = typename State::template space_of_level<From>;
  auto& to = s.template arena<To>();
  auto& from = s.template arena<From>();
  std::uint64_t copies = 0;
  for_each_run(pairs, [&](SlotPair const& first, std::size_t count) {
    auto const bytes = count * to.slot_bytes();
    crossing<to_space, from_space>::copy(ByteView<from_space>{from.data(first.from), bytes},
                                         ByteSpan<to_space>{to.data(first.to), bytes}, s.order.own);
    ++copies;
  });
  std::lock_guard lock{s.book};
  s.counted.copies += copies;
  (To == Level::near ? s.counted.to_device : s.counted.to_host) += pairs.size() * to.slot_bytes();
}

}}}  // namespace tessera::v0::detail
