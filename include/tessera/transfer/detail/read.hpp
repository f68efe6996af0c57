// read_chunks: divides a read into mini-batches. read_batch.hpp does the work of one, batches.hpp runs them on threads.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/plan/detail/plan.hpp>
#include <tessera/transfer/detail/batches.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/part_placer.hpp>
#include <tessera/transfer/detail/read_batch.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Most bytes of a mini-batch enlarged so that a shard of a remote store is one request.
inline constexpr auto most_for_few = std::uint64_t{8} << 20;
/// Decoded bytes requested at once, about, by all threads, from a remote store that serves many requests together: they
/// wait in parallel, and the network stays busy.
inline constexpr auto most_from_far = std::uint64_t{128} << 20;
/// Most chunks of such a mini-batch with several shards.
inline constexpr auto most_chunks_from_far = std::uint64_t{1024};
/// Most chunks of a mini-batch of few shards: the bookkeeping is about 2 KiB each, and a shard may have millions.
inline constexpr auto most_chunks_of_shards = std::uint64_t{4096};

// Bytes for each chunk beside its own memory: joined ranges, and whole shards.
template <class P>
std::uint64_t memory_beside(ChunkAccess<P> const& source) {
  if (!source.shards || source.lends()) return 0;
  return source.form.encoded_bound() * (source.takes_whole_shards() + source.joins());
}

// The decoded indexes of the shards that enclose a chunk: a mini-batch has at least one of each level.
TESSERA_DECL std::uint64_t bytes_of_indexes(std::vector<ShardLevel> const& levels);

template <class P>
Batches read_batches(ChunkAccess<P> const& source, Plan const& plan, typename P::queue_type& on,
                     ReadOptions const& options) {
  constexpr bool crosses = !std::same_as<typename P::bytes_staging, space::Device>;
  auto usual = usual_of(source.form, usual_for<typename P::queue_type, typename P::array_space>(plan), on,
                        crosses ? most_through_pinned : most_in_device);
  auto const shard = source.shards ? std::min(source.shards->grid().chunk_count(), most_chunks_of_shards) : 1;
  auto const threads = on.host().threads();
  bool const is_far = !source.store.is_near(), asks_at_once = is_far && source.store.can.gets_many;
  usual.beside += bytes_of_indexes(source.form.shards);
  if (source.shards) usual.chunks = std::max({usual.chunks, shard, asks_at_once ? most_chunks_from_far : 0});
  auto wanted = options;
  if (options.mini_batch == 0 && (asks_at_once || (source.shards && (is_far || source.joins())))) {
    // Few requests come before work for all threads; but if one mini-batch sends several, each thread has its share.
    wanted.mini_batch = asks_at_once && usual.in_flight == 0
                            ? std::clamp<std::uint64_t>(plan.size() / threads, shard, usual.chunks)
                            : usual.chunks;
    auto const whole = std::max<std::uint64_t>(source.form.decoded_size, 1);
    auto const most = asks_at_once ? std::max(most_for_few, most_from_far / threads)
                      : is_far     ? std::min(shard, most_for_few / whole) * whole
                                   : 0;
    if (options.mini_batch_bytes == 0) wanted.mini_batch_bytes = std::max(usual.bytes, most);
  }
  auto batches = batches_of(wanted, plan.size(), source.form, threads, usual, false, memory_beside(source));
  // So that few shards are split between mini-batches.
  if (options.mini_batch == 0 && batches.size > shard) batches.size -= batches.size % shard;
  return batches;
}

// Threads that fetch for one mini-batch, if fewer mini-batches than threads are under way, as where a device codec
// decodes: together all threads. One if memory is bounded: each part rounds up; and where the fetching thread also
// places.
template <class P>
std::size_t threads_for_each(ChunkAccess<P> const& source, Batches const& batches, ReadOptions const& options,
                             typename P::queue_type& on) {
  if (std::same_as<typename P::queue_type, Queue<space::Host>> || source.places_arrivals() || options.memory != 0)
    return 1;
  auto const threads = on.host().threads();
  return threads / std::max<std::size_t>(batches.lanes(threads), 1);
}

}  // namespace detail

/// Reads `selected`, a ResolvedSelection or a Plan, into the target, in the queue's order. Missing chunks yield the
/// fill value. Throws: StoreError, CodecError with the key, Cancelled; the target then holds all of the mini-batches
/// that had ended, some or none of the failed one, and nothing else. The target is in use until the queue is done.
template <class P, class Selected>
void read_chunks(ChunkAccess<P> const& source, Selected const& selected,
                 StridedSpan<typename P::array_space> const& target, typename P::queue_type& on,
                 ReadOptions const& options = {}) {
  auto const shard = source.shards ? source.shards->grid().chunks_per_shard() : Extents{};
  auto const& plan = detail::planned(selected, source.form.layout.shape, shard);
  auto const batches = detail::read_batches(source, plan, on, options);
  auto const threads = detail::threads_for_each(source, batches, options, on);
  detail::MiniBatches<detail::ReadBatch<P>, typename P::queue_type> work{batches, options, on};
  on.host().for_each(work.lanes(), [&](std::size_t) {
    for (auto lane = work.lane(); lane.next();)
      lane.lease()->run(source, plan, {lane.first(), lane.last(), batches.in_parts}, target, threads, on, options);
  });
}

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/transfer/detail/read.ipp>
#endif
