// copy_rows: copies rows without gaps on both sides.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/plane.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void copy_rows(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const& form);
TESSERA_DECL CopyPlane row_copier(std::uint64_t size);

TESSERA_DECL void copy_rows_past_cache(std::byte* to, std::byte const* from, Axis column, Axis row,
                                 PlacementForm const& form);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/copy_rows.ipp>
#endif
