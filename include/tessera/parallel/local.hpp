// write_local and read_local: all ranks of a communicator write or read their parts of one array.
#pragma once
#include <cstddef>
#include <mutex>
#include <type_traits>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/caller_memory.hpp>
#include <tessera/array/detail/elements.hpp>
#include <tessera/array/detail/invalid_call.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/parallel/communicator.hpp>
#include <tessera/parallel/detail/local_call.hpp>
#include <tessera/parallel/detail/options.hpp>  // IWYU pragma: export
#include <tessera/parallel/detail/told_in_turn.hpp>
#include <tessera/parallel/partition.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <class T, class P>
consteval bool check_local() {
  constexpr bool is_of_host = std::same_as<typename P::array_space, space::Host> && !VaryingElement<T>;
  static_assert(is_of_host,
                "tessera: ranks exchange elements of a fixed size in host memory: use an array whose pipeline begins "
                "in space::Host, array.through<space::Host>()");
  return is_of_host;
}

/// Memory that a device can access.
template <class M>
concept DeviceAccessible = CallerMemory<M>::known && CallerMemory<M>::space::device_accessible;

/// The part of a rank in memory that a device can access: in staged_part.cuh.
template <class T, std::size_t Rank, class Space>
class StagedPart;

/// The memory of a rank as an address and strides. Throws: SelectionError, if it has another shape.
template <std::size_t Rank, class M>
PartMemory local_memory(M& memory, Extents const& shape) {
  auto const view = caller_view<Rank>(memory, shape);
  auto* const data = const_cast<std::byte*>(reinterpret_cast<std::byte const*>(view.data));
  return {data, Extents::filled(Rank, 0), view.layout().strides};
}

/// Returns where this rank has its elements; throws, if they do not have the given shape.
using MemoryOfShape = FunctionRef<PartMemory(Extents const&)>;

/// As write_local, into an array of the shape `as`, whatever its document says.
template <Communicator C, class T, std::size_t Rank, class S, class P>
void write_local_as(C const& ranks, Array<T, Rank, S, P> const& array, Extents const& as, Partition const& partition,
                    MemoryOfShape memory, LocalWriteOptions const& options, DeviceSender* sender = nullptr) {
  ErasedCommunicatorOf<C> all{ranks};
  auto const& untyped = array.untyped();
  std::mutex turn;
  in_document(untyped.store(), untyped.document(), [&] {
    auto const move = [&, of_scope = defaults()](Region const& region, std::byte* data, Strides const& strides) {
      auto const told = told_in_turn(options.write, turn);
      with_defaults(of_scope, [&] { untyped.write_as(as, region, {data, strides}, told); });
    };
    auto const each = [&](std::size_t n, FunctionRef<void(std::size_t)> f) { untyped.queue().host().for_each(n, f); };
    move_together(all,
                  {partition, options.origin, as, untyped.chunk_shape(), untyped.edges(), options.memory, std::nullopt,
                   options.exchanged},
                  memory, {move, each, {}, sizeof(T), sender});
  });
}
template <Communicator C, class T, std::size_t Rank, class S, class P>
void read_local_into(C const& ranks, Array<T, Rank, S, P> const& array, Partition const& partition,
                     MemoryOfShape memory, LocalReadOptions const& options) {
  ErasedCommunicatorOf<C> all{ranks};
  auto const& untyped = array.untyped();
  auto const now = array.shape();
  std::mutex turn;
  in_document(untyped.store(), untyped.document(), [&] {
    auto const move = [&, of_scope = defaults()](Region const& region, std::byte* data, Strides const& strides) {
      auto const told = told_in_turn(options.read, turn);
      with_defaults(of_scope, [&] { untyped.read_into(region, {data, strides}, told); });
    };
    auto const each = [&](std::size_t n, FunctionRef<void(std::size_t)> f) { untyped.queue().host().for_each(n, f); };
    move_together(all,
                  {partition, options.origin, now, untyped.chunk_shape(), untyped.edges(), options.memory,
                   options.sharing, options.exchanged},
                  memory, {move, each, {}, sizeof(T)});
  });
}

}  // namespace detail

/// Called by all ranks: each writes the elements that the partition gives it, from its own memory, which has the shape
/// `partition.memory_shape(rank)`; elements of the halo are left out. A chunk, or shard, in which several ranks have
/// elements is written by one of them, to which the others send theirs: no update is lost, and the bytes in the store
/// are the same as those of one process. Elements in chunks of one rank alone are not sent. Returns when the store has
/// the elements of all ranks. Throws on all ranks the error of the lowest one that has an error; its text names the
/// rank. Chunks without an error are then written or not, each as a whole. Throws: SelectionError, if partition and
/// memory do not fit the array; BudgetError, if a value that several ranks share needs more than half of
/// `options.memory`; as Array::write.
template <Communicator C, class T, std::size_t Rank, class S, class P, detail::MemoryOrMistake M>
void write_local(C const& ranks, Array<T, Rank, S, P> const& array, Partition const& partition, M const& memory,
                 LocalWriteOptions const& options = {}) {
  if constexpr (detail::check_local<T, P>() && detail::check_writable<S>() &&
                detail::check_memory<T, Rank, space::Host, M const>())
    detail::write_local_as(
        ranks, array, array.shape(), partition,
        [&](Extents const& shape) { return detail::local_memory<Rank>(memory, shape); }, options);
}

/// Called by all ranks: each reads its elements and those of its halo into its own memory, as for write_local. With
/// `options.sharing` a chunk, or shard, that several ranks read is fetched and decoded by one of them, which sends the
/// others their elements. Throws: as write_local; as Array::read.
template <Communicator C, class T, std::size_t Rank, class S, class P, detail::MemoryOrMistake M>
void read_local(C const& ranks, Array<T, Rank, S, P> const& array, Partition const& partition, M&& memory,
                LocalReadOptions const& options = {}) {
  if constexpr (detail::check_local<T, P>() && detail::check_destination<T, Rank, space::Host, M>())
    detail::read_local_into(
        ranks, array, partition, [&](Extents const& shape) { return detail::local_memory<Rank>(memory, shape); },
        options);
}

}}  // namespace tessera::v0
