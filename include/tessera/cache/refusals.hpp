// Why chunks of a cache cannot be had: who holds them, and what holds the memory.
#pragma once
#include <cstddef>
#include <mutex>
#include <string>

#include <tessera/cache/cache_state.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What somebody wants chunks for. Who overwrites them needs no elements of those that are nowhere.
enum class Access { reading, writing, overwriting };

/// Lets go of what is held; what was changed is dirty. Requires: `book`.
template <class State>
void let_go_of(State& s, typename State::List const& held, Access access, bool is_changed = true) noexcept {
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
void expect_free(State& s, typename State::Chunk const& chunk, Access access, typename State::Shape const& shape) {
  bool const is_stale = (chunk.is_cut || chunk.shape != shape) && (chunk.holds() > 0 || chunk.is_dirty);
  if (!chunk.is_written && (access == Access::reading || chunk.holds() == 0) && !is_stale) return;
  bool const is_placed = chunk.copies[0].is_placed || chunk.copies[1].is_placed;
  auto const problem =
      chunk.is_written         ? text({"is held by somebody who writes to it"})
      : is_placed && !is_stale ? text({"is placed, and is to be written: unplace it before"})
      : is_stale
          ? text({"has the shape ", to_string(Extents{chunk.shape}), " in the cache and ", to_string(Extents{shape}),
                  " in the array, which was resized: flush and clear "
                  "the cache before"})
          : text({"is held by ", chunk.holds(), " who read it, and is to be written"});
  throw s.named(Error{text({"chunk ", to_string(chunk.number.extents()), " of a cache ", problem})});
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
  throw s.named(
      Error{text({"a cache has no room in ", where, " memory for ", count, " chunks of ", arena.slot_bytes(),
                  " bytes each: its budget of ", arena.budget(), " bytes has room for ", arena.capacity(),
                  ", of which ", held, " are held", held > 0 ? ": chunks " : "", holders, held > 8 ? ", ..." : ""})});
}

}}}  // namespace tessera::v0::detail
