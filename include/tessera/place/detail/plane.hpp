// CopyPlane: copies two axes of a box of elements in host memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <tessera/place/detail/placement.hpp>

namespace tessera { inline namespace v0 { namespace detail {

struct Axis {
  std::uint64_t count;
  std::int64_t from, to;  // bytes
};

// One function for each element size; the rest of placing is compiled once.
using CopyPlane = void (*)(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const& form);

// Along rows, if the source is as dense along them as along columns, or there is one row. Otherwise in tiles.
inline bool goes_along_rows(Axis const& column, Axis const& row) {
  return std::abs(row.from) <= std::abs(column.from) || column.count == 1;
}

}}}  // namespace tessera::v0::detail
