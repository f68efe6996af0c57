// Communicator: what the functions of parallel/ require of the processes that share an array. MpiCommunicator of
// tessera/with/mpi.hpp is one.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera { inline namespace v0 {

/// Messages in progress between one rank and others. Two messages from one rank to another arrive in the order in which
/// they were sent. The bytes are in use until the wait for them returns. A member that throws has ended the receives.
/// Optional: `exchange.keep(std::shared_ptr<void const>) noexcept`, called then with the memory of sends that may still
/// be in progress, which it keeps until they have ended; without it, a member that throws has ended the sends, too.
template <class E>
concept MessageExchange = requires(E& exchange, std::span<std::byte> to, std::span<std::byte const> from, int rank,
                                   std::size_t messages, std::uint64_t size) {
  // Allocates for so many messages in each direction, of `size` bytes together, that are in progress at a time. Those
  // that follow allocate nothing: a rank that throws std::bad_alloc there would leave the others waiting.
  exchange.prepare(messages, size);
  exchange.receive(to, rank);    // starts to receive exactly these bytes; returns at once
  exchange.send(from, rank);     // starts to send; returns at once
  exchange.wait_for_sends();     // messages that are received meanwhile stay in progress
  exchange.wait_for_receives();  // messages that are sent meanwhile stay in progress
  exchange.wait();               // for all of them
};

/// The ranks, from 0 on, of a parallel program. A handle: copies are the same ranks. Each member but the first three is
/// called by all ranks, in the same order. All throw Error, if the ranks cannot reach each other any more. Optional:
/// `bool reads_device_memory() const`, whether `send` accepts addresses of device memory; it sends no message.
template <class C>
concept Communicator = std::copyable<C> && MessageExchange<typename C::exchange_type> &&
    requires(C const& ranks, std::span<std::byte> bytes, std::span<std::byte const> own, std::uint64_t number,
             int rank) {
  { ranks.rank() } -> std::same_as<int>;         // of this process
  { ranks.size() } -> std::same_as<int>;         // how many there are
  { ranks.node_of(rank) } -> std::same_as<int>;  // equal for ranks that share memory; sends no message
  { ranks.least(number) } -> std::same_as<std::uint64_t>;  // of the numbers of all ranks
  ranks.broadcast(bytes, rank);                            // from that rank to all others; of the same size on each
  ranks.gather(own, bytes);                                // bytes of the same size, of all ranks in order, on each
  { ranks.exchange() } -> std::same_as<typename C::exchange_type>;
};

}}  // namespace tessera::v0
