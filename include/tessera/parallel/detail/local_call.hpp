// write_together and read_together: a partition's elements, moved by all ranks of a communicator.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/parallel/detail/agreed.hpp>
#include <tessera/parallel/detail/exchange_plan.hpp>
#include <tessera/parallel/detail/options.hpp>
#include <tessera/parallel/detail/two_phase.hpp>
#include <tessera/parallel/partition.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The array as all ranks know it, and how it is moved.
struct TogetherCall {
  Partition const& partition;
  Extents const& origin;  ///< empty: 0
  Extents const& shape;   ///< of the array
  Extents const& chunk_shape;
  std::vector<ChunkEdges> const& edges;
  std::uint64_t memory;                     ///< 0: chosen
  std::optional<ReadSharing> reads_shared;  ///< nullopt: writes
  Exchanged* exchanged;
  bool in_one_round = false;  ///< all that a rank owns is in memory at a time
};

struct PreparedCall {
  ExchangePlan plan{};
  PartMemory own{};          ///< memory of the rank
  std::uint64_t memory = 0;  ///< most bytes of a round
  bool is_shared = false;    ///< some ranks share values: all of them then exchange messages
};
/// Called by all ranks: checks the call, and plans. Throws on all ranks, if one has an error.
inline PreparedCall prepared(ErasedCommunicator& ranks, TogetherCall const& together,
                                   FunctionRef<PartMemory(Extents const&)> memory_of_shape, std::size_t item);
/// The memory of the rounds into which it divides the plan. Throws: BudgetError, if a value needs more.
inline std::shared_ptr<ExchangeRoom> room_of_rounds(PreparedCall& call, std::size_t item, DeviceSender* sender);
inline void add_counts(Exchanged* to, Exchanged const& counts);

/// Called by all ranks: each names its own memory and its own `local`. Throws on all, if one has an error.
inline void move_together(ErasedCommunicator& ranks, TogetherCall const& together,
                                FunctionRef<PartMemory(Extents const&)> memory_of_shape, LocalCall local);

}}}  // namespace tessera::v0::detail

#include <tessera/parallel/detail/local_call.ipp>
