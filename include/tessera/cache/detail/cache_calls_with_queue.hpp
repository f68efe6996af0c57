// Calls of a ChunkCache that take the queue as an argument, as in 0.1: they are removed in 0.3.
#pragma once
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/selection.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class Cache, class Queue>
class CacheCallsWithQueue {
 public:
  template <class S = void, Selector Sel = Box>
  [[deprecated("tessera: a handle has its queue: cache.on(queue).hold(selection)")]] auto hold(Sel const& selection,
                                                                                           Queue& queue) const {
    if constexpr (MemorySpace<S>)
      return on(queue).template hold<S>(selection);
    else
      return on(queue).hold(selection);
  }
  template <class S = void, Selector Sel = Box>
  [[deprecated("tessera: a handle has its queue: cache.on(queue).hold_for_writing(selection)")]] auto hold_for_writing(
      Sel const& selection, Queue& queue) const {
    if constexpr (MemorySpace<S>)
      return on(queue).template hold_for_writing<S>(selection);
    else
      return on(queue).hold_for_writing(selection);
  }
  template <Selector Sel = Box, MemoryOrMistake M>
  [[deprecated("tessera: a handle has its queue: cache.on(queue).read(selection, memory)")]] void read(
      Sel const& selection, M&& to, Queue& queue) const {
    on(queue).read(selection, to);
  }
  template <Selector Sel = Box, MemoryOrMistake M>
  [[deprecated("tessera: a handle has its queue: cache.on(queue).write(selection, memory)")]] void write(
      Sel const& selection, M const& from, Queue& queue) const {
    on(queue).write(selection, from);
  }

 private:
  Cache on(Queue& queue) const { return static_cast<Cache const&>(*this).on(queue); }
};

}}}  // namespace tessera::v0::detail
