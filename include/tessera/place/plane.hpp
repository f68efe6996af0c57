// Two axes of a box of elements in the host's memory, and who copies them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <tessera/place/placement.hpp>

namespace tessera { inline namespace v0 { namespace detail {

struct Axis {
  std::uint64_t count;
  std::int64_t from, to;  // bytes
};

// Copies two axes of a box whose elements have that form. A function of its own for each size of element: the rest of
// placing is compiled once.
using CopyPlane = void (*)(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const& form);

// Rows, if the source is as dense along them as along the columns, or there is one alone. Else tiles.
inline bool goes_along_rows(Axis const& column, Axis const& row) {
  return std::abs(row.from) <= std::abs(column.from) || column.count == 1;
}

}}}  // namespace tessera::v0::detail
