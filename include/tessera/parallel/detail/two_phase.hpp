// write_shared and read_shared: the values of an ExchangePlan. First the elements travel to the owner of each value,
// then it writes them; or it reads them, and they travel to the others.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/parallel/detail/erased_communicator.hpp>
#include <tessera/parallel/detail/exchange_plan.hpp>
#include <tessera/parallel/detail/part_rows.hpp>
#include <tessera/parallel/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The array of one rank, and its memory.
struct LocalCall {
  /// Writes the region from that memory, or reads it into it. Strides are in bytes.
  FunctionRef<void(Region const&, std::byte*, Strides const&)> move;
  /// Calls a function for each number below the first argument, in any order, on the threads of the array's queue.
  FunctionRef<void(std::size_t, FunctionRef<void(std::size_t)>)> for_each;
  PartMemory memory;  ///< of the rank, by places
  std::size_t item;   ///< bytes of an element
};

/// What a rank needs for its rounds, allocated before the first message: no rank may fail between two of them.
struct ExchangeRoom {
  HostBuffer values, travelling;
};

/// Requires: the plan has its rounds. `memory`: the most bytes of one owner's round, on any rank.
TESSERA_DECL ExchangeRoom room_for(ExchangePlan const& plan, std::uint64_t most_of_round, std::uint64_t memory,
                                   std::size_t item);

/// Called by all ranks. Errors of `move` are thrown when all messages have been exchanged; errors of `ranks` at once.
TESSERA_DECL void write_shared(ErasedCommunicator& ranks, ExchangePlan& plan, ExchangeRoom& room, LocalCall const& call,
                               Exchanged& counts);
TESSERA_DECL void read_shared(ErasedCommunicator& ranks, ExchangePlan& plan, ExchangeRoom& room, LocalCall const& call,
                              Exchanged& counts);

/// The boxes that the rank moves by itself.
TESSERA_DECL void move_alone(ExchangePlan const& plan, LocalCall const& call);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/parallel/detail/two_phase.ipp>
#endif
