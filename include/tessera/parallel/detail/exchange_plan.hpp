// ExchangePlan: which elements a rank moves between its memory and the store by itself, and which travel to or from
// the one rank that writes, or reads, a stored value for all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/parallel/detail/part_rows.hpp>
#include <tessera/parallel/partition.hpp>
#include <tessera/plan/detail/chunk_edges.hpp>
#include <tessera/plan/detail/regular_parts.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What all ranks know.
struct SharedGrid {
  Partition const& partition;
  Extents origin;         ///< of the partition in the array
  ChunkAxes const& axes;  ///< chunks, or shards, of the array
  std::size_t item;       ///< bytes of an element
};

/// A stored value that this rank does not move alone.
struct SharedValue {
  std::uint64_t number;                           ///< in C order of the grid
  int owner;                                      ///< the rank that writes or reads it
  RankPart own;                                   ///< this rank's elements, at their indices in the array
  std::vector<std::pair<int, RankPart>> others{};  ///< those of other ranks, in order, if this rank is the owner
  IndexBounds span{};                             ///< of all their elements, if this rank is the owner
  std::uint64_t memory = 0;                       ///< bytes that the owner needs for it
  std::uint32_t round = 0;                        ///< in which the owner handles it
};

struct ExchangePlan {
  std::vector<RankPart> alone;       ///< boxes that this rank moves by itself
  std::vector<SharedValue> owned;    ///< by number
  std::vector<SharedValue> foreign;  ///< of other owners, by number
};

/// Whether another rank exchanges elements with this one.
using Exchanges = FunctionRef<bool(int)>;

/// For the writes of a rank, or for its reads, which include the halo. Requires: the partition lies in the array.
inline ExchangePlan exchange_plan(SharedGrid const& grid, int rank, bool reads, Exchanges exchanges);

/// Distributes the owned values to rounds whose values need at most `memory` bytes together. Throws: BudgetError, if
/// one value needs more. Returns the most bytes of a round.
inline std::uint64_t set_rounds(ExchangePlan& plan, std::uint64_t memory);
/// The most bytes that one owned value needs.
inline std::uint64_t largest_value(ExchangePlan const& plan);

/// The elements of a rank at their indices in the array.
inline RankPart own_part(SharedGrid const& grid, int rank, bool with_halo);
/// Each combination of one run per dimension.
inline std::vector<RankPart> boxes_of(RankPart const& part);
/// The chunks of an array along each dimension. Without `edges`, all have the chunk shape.
inline ChunkAxes axes_of(std::vector<ChunkEdges> const& edges, Extents const& chunk_shape, Extents const& shape);

}}}  // namespace tessera::v0::detail

#include <tessera/parallel/detail/exchange_plan.ipp>
