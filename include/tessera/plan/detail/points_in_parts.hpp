// each_part_of_points and each_part_of_mask: single elements of a rectilinear grid, part by part.
#pragma once
#include <tessera/core/config.hpp>
#include <tessera/plan/detail/regular_part.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

TESSERA_DECL void each_part_of_points(ResolvedSelection const& selected, ChunkAxes const& axes, UsePart f);

TESSERA_DECL void each_part_of_mask(ResolvedSelection const& selected, ChunkAxes const& axes, Extents const& shape,
                              UsePart f);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/plan/detail/points_in_parts.ipp>
#endif
