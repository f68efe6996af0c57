// move_selected: copies a selection's elements between a cache's chunks and a caller's memory.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/run_call.hpp>
#include <tessera/array/detail/selection.hpp>
#include <tessera/cache/detail/cache_state.hpp>
#include <tessera/cache/detail/evict.hpp>
#include <tessera/cache/detail/holding.hpp>
#include <tessera/cache/detail/take_chunks.hpp>
#include <tessera/plan/detail/boxes.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/transfer/detail/part_placer.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The space of the chunks used: host memory for a caller's host memory, otherwise the array's.
template <class M, class ArraySpace>
using cached_space =
    std::conditional_t<std::same_as<typename CallerMemory<std::remove_reference_t<M>>::space, space::Host>, space::Host,
                       ArraySpace>;
template <class T, std::size_t Rank, class ArraySpace, class M>
consteval bool check_cached_memory() {
  if constexpr (CallerMemory<std::remove_reference_t<M>>::known)
    return check_memory<T, Rank, cached_space<M, ArraySpace>, M>();
  else
    return check_memory<T, Rank, ArraySpace, M>();
}

template <class Sel>
consteval bool check_cached_selection() {
  constexpr bool is_of_host = !ListedElsewhere<Sel>;
  static_assert(is_of_host,
                "tessera: a ChunkCache takes selections in host memory: read DevicePoints and a DeviceMask without it, "
                "cache.array().read(points, memory)");
  return is_of_host;
}

/// A group of chunks that fit into the cache, and their selected elements.
template <Access access, MemorySpace S, class State>
class SelectedChunks {
  static constexpr Level L = State::template level_of<S>;
  using T = typename State::element_type;

 public:
  /// For the pieces [first, last), with the wanted chunk of each.
  SelectedChunks(State& s, Plan const& plan, std::uint64_t first, std::uint64_t last,
                 std::span<typename State::Wanted const> wanted)
      : s_{s}, plan_{plan}, wanted_{wanted} {
    plan.for_each_piece(first, last, [&](Piece const& piece) { pieces_.push_back(piece); });
  }

  /// Holds the chunks, copies from or to `view`, and releases them. Requires: `moves`.
  template <class View>
  void move(View const& view, Extents const& array_shape, QueueUser user, queue_for<S>& on) {
    std::vector<typename State::Wanted> whole, part;
    std::vector<bool> is_whole;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      auto const& piece = pieces_[i];
      is_whole.push_back(access == Access::writing &&
                         plan_.elements(piece) == elements_of_chunk(s_.chunk_shape, array_shape, piece.chunk));
      (is_whole.back() ? whole : part).push_back(wanted_[i]);
    }
    typename State::List held_whole, held_part, made;
    bool is_done = false;
    try {
      hold_all<L>(s_, part, array_shape, access, user, held_part);
      hold_all<L>(s_, whole, array_shape, Access::overwriting, user, held_whole, &made);
      is_done = true;  // from here on elements may have changed
      place(view, is_whole, held_whole, held_part, on);
    } catch (...) {
      wait_in_handler(on);  // work under way uses the caller's memory, and chunks dropped here
      if (held_whole.empty()) made.clear();
      std::lock_guard lock{s_.book};  // one lock for both: no other holder in between
      let_go(held_part, held_whole, is_done);
      forget(made);
      throw;
    }
    std::lock_guard lock{s_.book};
    let_go(held_part, held_whole, true);
  }

 private:
  template <class View>
  void place(View const& view, std::vector<bool> const& is_whole, typename State::List const& whole,
             typename State::List const& part, queue_for<S>& on) {
    auto const layout = Layout::c_order(s_.chunk_shape, sizeof(T));
    auto const of_chunk = stepped(layout.strides, plan_.steps()), there = view.layout().strides;
    auto const of_memory = plan_.strides_in(there);
    constexpr bool reads = access == Access::reading;
    PlacementForm const form{sizeof(T), 1, {}, reads ? of_chunk : of_memory, reads ? of_memory : of_chunk};
    std::vector<Placement<S>> placements;
    PartPlacer<S> placing{placements, form, on};
    std::size_t next_whole = 0, next_part = 0;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      auto* const chunk = (is_whole[i] ? whole[next_whole++] : part[next_part++])->data;
      plan_.for_each_part(pieces_[i], [&](Part const& one) {
        auto* const inside = address(chunk, one.first, layout.strides);
        if constexpr (reads)
          placing.add({inside, address(reinterpret_cast<std::byte*>(view.data), one.target, there), one.count});
        else
          placing.add({address(reinterpret_cast<std::byte const*>(view.data), one.target, there), inside, one.count});
      });
    }
    placing.place();
  }

  // Requires: `book`.
  void let_go(typename State::List const& part, typename State::List const& whole, bool is_changed) {
    let_go_of(s_, part, access, is_changed);
    let_go_of(s_, whole, access, is_changed);
  }

  // Drops chunks that had no copy before: they lack elements. Requires: `book`.
  void forget(typename State::List const& made) {
    for (auto* const copy : made) {
      copy->of->is_dirty = false;
      drop<L>(s_, *copy);
    }
  }

  State& s_;
  Plan const& plan_;
  std::span<typename State::Wanted const> wanted_;
  std::vector<Piece> pieces_;
};

/// Copies a selection's elements, group by group.
template <Access access, class State, class View>
void move_selected(std::shared_ptr<State> const& state, ResolvedSelection const& what, View const& view,
                   typename State::queue_type& on) {
  auto& s = *state;
  using S = std::conditional_t<std::same_as<typename View::space_type, space::Host>, space::Host,
                               typename State::array_space>;
  constexpr Level L = State::template level_of<S>;
  Plan const plan{what, s.chunk_shape, {}, access == Access::reading ? Repeats::all : Repeats::last};
  auto const wanted = s.wanted(touched_chunks<State::rank>(plan));
  for (std::uint64_t first = 0; first < plan.size();) {
    auto const moving = s.moving();
    auto const user = user_of<L>(s, on);
    auto const room = std::max<std::uint64_t>(room_of<L>(s), 1), last = first + std::min(room, plan.size() - first);
    auto const of_group = std::span{wanted}.subspan(first, last - first);
    SelectedChunks<access, S, State>{s, plan, first, last, of_group}.move(view, s.array.shape(), user, queue_in<S>(on));
    first = last;
  }
}

}}}  // namespace tessera::v0::detail
