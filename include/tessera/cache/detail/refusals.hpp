// expect_free and refuse_room: errors for chunks that are held by others, or for which there is no room.
#pragma once
#include <cstddef>
#include <mutex>
#include <string>

#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Why chunks are held. `overwriting` loads no elements for chunks that have no copy.
enum class Access { reading, writing, overwriting };

/// Releases copies; changed chunks become dirty. Requires: `book`.
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

// Throws: Error, if other holds or a resize rule out this access.
template <class State>
void expect_free(State& s, typename State::Chunk const& chunk, Access access, typename State::Shape const& shape) {
  bool const is_stale = (chunk.is_cut() || chunk.shape != shape) && (chunk.holds() > 0 || chunk.is_dirty);
  if (!chunk.is_written && (access == Access::reading || chunk.holds() == 0) && !is_stale) return;
  bool const is_placed = chunk.copies[0].is_placed || chunk.copies[1].is_placed;
  auto const problem =
      chunk.is_written         ? to_text({"is held for writing"})
      : is_placed && !is_stale ? to_text({"is placed, so it cannot be written: unplace it first"})
      : is_stale
          ? to_text({"has the shape ", to_string(Extents{chunk.shape}), " in the cache and ", to_string(Extents{shape}),
                     " in the array, which was resized: flush and clear "
                     "the cache first"})
          : to_text({"is held by ", chunk.holds(), " readers, so it cannot be written"});
  throw s.named(Error{to_text({"chunk ", to_string(chunk.number.extents()), " of a cache ", problem})});
}

/// Throws: Error, which names the chunks that hold a level's memory. Requires: `moves`.
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
      holders += to_text({held == 1 ? "" : ", ", to_string(number.extents()), copy.is_placed ? " (placed)" : ""});
    }
  }
  auto const& arena = s.template arena<L>();
  auto const where = L == Level::near && State::has_device ? "device" : "host";
  throw s.named(Error{
      to_text({"a cache has no room in ", where, " memory for ", count, " chunks of ", arena.slot_bytes(),
               " bytes each: its budget of ", arena.budget(), " bytes has room for ", arena.capacity(), ", of which ",
               held, " are held", held > 0 ? ": chunks " : "", holders, held > 8 ? ", ..." : ""})});
}

}}}  // namespace tessera::v0::detail
