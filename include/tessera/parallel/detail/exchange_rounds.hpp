// ExchangeRound: one round of a rank's messages. All that the rounds of a call need is allocated before the first one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/parallel/detail/erased_communicator.hpp>
#include <tessera/parallel/detail/exchange_plan.hpp>
#include <tessera/parallel/detail/options.hpp>
#include <tessera/parallel/detail/part_rows.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// One round of a rank: the values that it owns, and those in which it has elements, by owner. An owner has the
/// elements of a round in one block of memory: first those of each value, at their indices, then the message from or to
/// each rank. Places are in bytes from the beginning of that block.
struct ExchangeRound {
  struct Message {
    int rank;
    std::size_t at, size;
  };
  /// Elements of another rank, within its message.
  struct Part {
    RankPart const* elements;
    std::size_t value;  ///< number in `owned`
    std::size_t at;
  };
  /// The values of one other owner, and the size of the message with this rank's elements of them.
  struct OfOwner {
    std::vector<SharedValue const*> values{};
    std::size_t size = 0;
  };

  std::vector<SharedValue const*> owned{};
  std::map<int, OfOwner> foreign{};
  std::vector<std::size_t> values_at{};  ///< of each owned value
  std::vector<Message> messages{};       ///< from or to the ranks that share the owned values
  std::vector<Part> parts{};             ///< of these messages

  /// The elements of an owned value, in the block that begins at `data`.
  PartMemory value(std::size_t i, std::byte* data, std::size_t item) const {
    return memory_of(owned[i]->span, data + values_at[i], item);
  }
};

/// Called by all ranks: the owners say in which rounds they want elements. Afterwards neither the rounds nor `ranks`
/// allocate memory for messages with elements: a rank that cannot allocate fails here, and all ranks throw its error.
/// Requires: the plan has its rounds, and outlives the result.
inline std::vector<ExchangeRound> agreed_rounds(ErasedCommunicator& ranks, ExchangePlan& plan, std::size_t item,
                                                Exchanged& counts);

/// Sends, and counts the message.
inline void send_counted(ErasedCommunicator& ranks, ByteView<space::Host> bytes, int rank, Exchanged& counts);

}}}  // namespace tessera::v0::detail

#include <tessera/parallel/detail/exchange_rounds.ipp>
