// write_local, read_local, append and LocalWriter for memory that a device can access. Device memory is copied through
// page-locked memory.
#pragma once
#include <cstddef>

#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/parallel/detail/agreed.hpp>
#include <tessera/parallel/detail/staged_part.cuh>
#include <tessera/parallel/local.hpp>

namespace tessera { inline namespace v0 {

/// Called by all ranks: as write_local of an array in host memory, from device memory in C order, or from page-locked
/// or managed memory. Waits for the queue's earlier work, and copies the rank's device memory to page-locked memory of
/// the same size; the others are used as they are. With `options.device_messages` elements for other ranks are sent
/// from device memory instead, if the communicator reads it. Throws: as write_local; DeviceError.
template <Communicator C, class T, std::size_t Rank, class S, class P, detail::DeviceAccessible M>
void write_local(C const& ranks, Array<T, Rank, S, P> const& array, Partition const& partition, M const& memory,
                 Queue<space::Device>& on, LocalWriteOptions const& options = {}) {
  using Space = typename detail::CallerMemory<M const>::space;
  if constexpr (detail::check_local<T, P>() && detail::check_writable<S>() &&
                detail::check_memory<T, Rank, Space, M const>())
    detail::StagedPart<T, Rank, Space>::write(ranks, array, array.shape(), partition, memory, on, options);
}

/// Called by all ranks: as read_local of an array in host memory, into device memory in C order, through as much
/// page-locked memory, or into page-locked or managed memory. Waits for the queue's earlier work. Returns when the
/// elements are there. Throws: as read_local; DeviceError.
template <Communicator C, class T, std::size_t Rank, class S, class P, detail::DeviceAccessible M>
void read_local(C const& ranks, Array<T, Rank, S, P> const& array, Partition const& partition, M& memory,
                Queue<space::Device>& on, LocalReadOptions const& options = {}) {
  using Space = typename detail::CallerMemory<M>::space;
  if constexpr (detail::check_local<T, P>() && detail::check_destination<T, Rank, Space, M>()) {
    detail::StagedPart<T, Rank, Space> part{on};
    Exchanged counts;
    auto counted = options;
    counted.exchanged = &counts;
    detail::read_local_into(
        ranks, array, partition,
        [&](Extents const& shape) {
          part.of(memory, shape);
          part.make_room();
          return part.memory();
        },
        counted);
    counts.memory += part.staged_size();
    detail::add_counts(options.exchanged, counts);
    detail::ErasedCommunicatorOf<C> all{ranks};
    detail::agreed(all, [&] { part.to_device(); });
  }
}

}}  // namespace tessera::v0
