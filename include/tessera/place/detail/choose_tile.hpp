// choose_tile: tiles for a batch whose source and destination are dense along different axes.
#pragma once
#include <cstddef>

#include <tessera/core/config.hpp>
#include <tessera/place/detail/joined_axes.hpp>
#include <tessera/place/detail/placement_table.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The axis along which the source is dense, if tiles pay off: the destination is dense along another, both in runs of
/// at least a sector (32 bytes, the smallest memory access), and words in the order of one side would access the
/// other's singly. Otherwise the rank. Requires: elements are copied.
TESSERA_DECL std::size_t column_of_tiles(JoinedAxes const& axes);

/// Chooses about as many words along both axes; if an axis is too short, more along a third.
TESSERA_DECL void choose_tile(std::size_t column, JoinedAxes& axes, PlacementTable& table);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/choose_tile.ipp>
#endif
