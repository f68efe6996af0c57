// Parts of a rank: cut by a chunk, and copied row by row.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/parallel/partition.hpp>
#include <tessera/view/detail/resolved_selection.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The elements of a part within the bounds, with their places in the rank's memory. Without elements, all empty.
inline RankPart part_within(RankPart const& part, IndexBounds const& bounds);
inline std::uint64_t elements_of(RankPart const& part);
/// The smallest box with all elements of the part. Requires: it has elements.
inline IndexBounds bounds_of(RankPart const& part);
inline Region region_of(IndexBounds const& bounds);

/// Neighbours along the last dimension: their first index, its place in the rank's memory, and how many.
struct PartRow {
  Extents const& index;
  Extents const& at;
  std::uint64_t count;
};
/// Calls f(PartRow) for all elements, in C order.
inline void for_each_row(RankPart const& part, FunctionRef<void(PartRow const&)> f);

/// Elements in memory: the address of the one whose index, or place in a rank's memory, is `origin`; strides in bytes.
struct PartMemory {
  std::byte* data;
  Extents origin;
  Strides strides;

  std::byte* at(Extents const& index) const;
};
/// Contiguous memory in C order for the elements within the bounds.
inline PartMemory memory_of(IndexBounds const& bounds, std::byte* data, std::size_t item);

/// Copies between a rank's memory, by places, and memory by indices.
inline void copy_to_indices(RankPart const& part, PartMemory const& from_places, PartMemory const& to,
                                  std::size_t item);
inline void copy_to_places(RankPart const& part, PartMemory const& from_indices, PartMemory const& to,
                                 std::size_t item);
/// Copies a part, from or to memory by places or by indices, to or from contiguous bytes in C order.
inline void pack(RankPart const& part, bool by_places, PartMemory const& from, std::byte* to, std::size_t item);
inline void unpack(RankPart const& part, bool by_places, std::byte const* from, PartMemory const& to,
                         std::size_t item);

}}}  // namespace tessera::v0::detail

#include <tessera/parallel/detail/part_rows.ipp>
