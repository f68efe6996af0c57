// write_shared and read_shared: the values of an ExchangePlan. First the elements travel to the owner of each value,
// then it writes them; or it reads them, and they travel to the others.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/parallel/detail/device_sender.hpp>
#include <tessera/parallel/detail/erased_communicator.hpp>
#include <tessera/parallel/detail/exchange_plan.hpp>
#include <tessera/parallel/detail/exchange_rounds.hpp>
#include <tessera/parallel/detail/options.hpp>
#include <tessera/parallel/detail/part_rows.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The array of one rank, and its memory.
struct LocalCall {
  /// Writes the region from that memory, or reads it into it. Strides are in bytes.
  FunctionRef<void(Region const&, std::byte*, Strides const&)> move;
  /// Calls a function for each number below the first argument, in any order, on the threads of the array's queue.
  FunctionRef<void(std::size_t, FunctionRef<void(std::size_t)>)> for_each;
  PartMemory memory;  ///< of the rank, by places
  std::size_t item;   ///< bytes of an element
  DeviceSender* sender = nullptr;  ///< of elements that travel from device memory; null: they are in `memory`
};

/// The memory of a rank's rounds, allocated before the first message: no rank may fail between two of them.
struct ExchangeRoom {
  HostBuffer values{}, travelling{};
  std::shared_ptr<std::byte> of_device{};  ///< of a sender
  std::span<std::byte> block{};            ///< of messages from or to other owners: `travelling`, or that
  DeviceSender* sender = nullptr;
};

/// Requires: the plan has its rounds. `memory`: the most bytes of one owner's round, on any rank.
inline std::shared_ptr<ExchangeRoom> room_for(ExchangePlan const& plan, std::uint64_t most_of_round,
                                              std::uint64_t memory, std::size_t item,
                                              DeviceSender* sender = nullptr);

/// The shared values that one call writes, round by round. Requires: the plan, which has its rounds, outlives it.
class SharedWrite {
 public:
  /// Called by all ranks. Throws as agreed_rounds.
  SharedWrite(ErasedCommunicator& ranks, ExchangePlan& plan, std::size_t item, Exchanged& counts)
      : rounds_{agreed_rounds(ranks, plan, item, counts)} {}

  std::size_t rounds() const { return rounds_.size(); }
  /// Sends this rank's elements of a round, and receives those of the values that it owns into `room.values`, which
  /// then has all that `write` needs: the rank's memory is no longer used. Exchanges all messages, also behind an error
  /// of the sender, which it returns; null: none. Throws errors of `ranks` alone.
  std::exception_ptr exchange(ErasedCommunicator& ranks, std::size_t round, std::shared_ptr<ExchangeRoom> const& room,
                              PartMemory const& own, std::size_t item, Exchanged& counts) const;
  /// Writes the values of a round. Throws: errors of `move`.
  void write(std::size_t round, ByteSpan<space::Host> values, LocalCall const& call) const;

 private:
  std::vector<ExchangeRound> rounds_{};
};

/// Called by all ranks: exchanges all messages, also behind an error of `move`, which it returns; null: none. Throws
/// errors of `ranks` at once, which then keep the room; as agreed_rounds.
inline std::exception_ptr write_shared(ErasedCommunicator& ranks, ExchangePlan& plan,
                                       std::shared_ptr<ExchangeRoom> const& room, LocalCall const& call,
                                       Exchanged& counts);
inline std::exception_ptr read_shared(ErasedCommunicator& ranks, ExchangePlan& plan,
                                      std::shared_ptr<ExchangeRoom> const& room, LocalCall const& call,
                                      Exchanged& counts);

/// Copies the boxes that the rank moves by itself, to memory that is made anew if it has another size. `move_copied`
/// moves them from there.
inline void copy_alone(ExchangePlan const& plan, PartMemory const& own, std::size_t item, HostBuffer& copy);
inline void move_copied(ExchangePlan const& plan, HostBuffer& copy, LocalCall const& call);
/// The boxes that the rank moves by itself.
inline void move_alone(ExchangePlan const& plan, LocalCall const& call);

}}}  // namespace tessera::v0::detail

#include <tessera/parallel/detail/two_phase.ipp>
