// Selector: a selection for Array::read and Array::write.
#pragma once
#include <concepts>
#include <cstddef>
#include <utility>

#include <tessera/core/dimensions.hpp>
#include <tessera/metadata/detail/rectilinear.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/mask_bits.hpp>
#include <tessera/view/detail/resolved_selection.hpp>
#include <tessera/view/selections.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// Resolves a selection for an array of this shape, and of these chunks if it depends on them.
inline Region selected_by(AllIndices everything, Extents const& shape, Extents const&) {
  return Box(everything).resolve(shape);
}
template <class Sel>
requires requires(Sel const& selection, Extents const& shape) {
  { selection.resolve(shape) } -> std::convertible_to<ResolvedSelection>;
}
auto selected_by(Sel const& selection, Extents const& shape, Extents const&) { return selection.resolve(shape); }
template <class Sel>
requires requires(Sel const& selection, Extents const& shape) {
  { selection.resolve(shape, shape) } -> std::convertible_to<ResolvedSelection>;
}
auto selected_by(Sel const& selection, Extents const& shape, Extents const& chunk_shape) {
  return selection.resolve(shape, chunk_shape);
}

template <class Sel>
inline constexpr bool is_of_chunks = requires(Sel const& selection, Extents const& shape) {
  selection.resolve(shape, shape);
};

// The same for any grid; `edges` are those of a rectilinear one. Throws: SelectionError, if the selection does not
// support it.
template <class Sel>
ResolvedSelection selected_in(Sel const& selection, Extents const& shape, Extents const& chunk_shape,
                              std::vector<ChunkEdges> const& edges) {
  if constexpr (is_of_chunks<Sel>)
    if (!edges.empty()) {
      if constexpr (std::same_as<Sel, Blocks>) {
        auto const axes = chunk_axes(edges, shape);
        auto grid = shape;
        for (std::size_t d = 0; d < axes.size(); ++d) grid[d] = axes[d].chunks();
        return selection.resolve_in(grid, [&](std::size_t d, std::uint64_t chunk) {
          auto const [first, elements] = axes[d].chunk(chunk);
          return std::pair{first, first + elements};
        });
      }
      throw SelectionError{"this selection needs chunks of one shape, but the chunk grid is \"rectilinear\""};
    }
  return selected_by(selection, shape, chunk_shape);
}

/// A Box, `all`, Orthogonal, Points, a Mask, Blocks, or your own type with such a resolve.
template <class Sel>
concept Selector = requires(Sel const& selection, Extents const& shape) {
  selected_by(selection, shape, shape);
};

/// DevicePoints or a DeviceMask of with/device_selections.cuh: `found_to_read(array)` and `found_to_write(array)` list
/// the touched chunks, for arrays whose space `check_space<Space>()` accepts.
template <class Sel>
concept ListedElsewhere = requires {
  typename Sel::list_space;
};

/// For calls that take both kinds.
template <class Sel>
concept AnySelector = Selector<Sel> || ListedElsewhere<Sel>;
/// Whether an array of that space has the selection. If not, a compile error says so.
template <class Sel, class Space>
consteval bool check_selected_in() {
  if constexpr (ListedElsewhere<Sel>)
    return Sel::template check_space<Space>();
  else
    return true;
}

/// An argument in the place of a selection, for the overloads whose compile error says so.
template <class A>
concept NoSelector = !Selector<A>;
template <class A>
consteval bool check_selector() {
  static_assert(Selector<A>,
                "tessera: the first argument must be a selection: all, a box of one slice for each dimension, e.g. "
                "{{0, 64}, all, 3}, or Orthogonal, Points, a Mask or Blocks");
  return Selector<A>;
}

/// Resolved selections whose memory has one dimension.
template <class Resolved>
concept OfPoints = std::same_as<Resolved, PointRuns> || std::same_as<Resolved, PointList> ||
    std::same_as<Resolved, MaskBits>;

/// The rank of the memory for a selection from an array of this rank.
template <AnySelector Sel, std::size_t Rank>
inline constexpr std::size_t memory_rank =
    OfPoints<decltype(selected_by(std::declval<Sel const&>(), Extents{}, Extents{}))> ? 1 : Rank;
template <ListedElsewhere Sel, std::size_t Rank>
inline constexpr std::size_t memory_rank<Sel, Rank> = 1;

}  // namespace detail
}}  // namespace tessera::v0
