// Reading: in how many mini-batches, of how many chunks each. read_batch.hpp has what is done with one, batches.hpp the
// threads that do it.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include <tessera/plan/plan.hpp>
#include <tessera/transfer/batches.hpp>
#include <tessera/transfer/chunk_access.hpp>
#include <tessera/transfer/part_placer.hpp>
#include <tessera/transfer/read_batch.hpp>
#include <tessera/transfer/read_options.hpp>
#include <tessera/view/strided_span.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Bytes of a mini-batch, at most, that is larger than usual so that a shard of a store that is far is one request.
inline constexpr auto most_for_few = std::uint64_t{8} << 20;
/// Decoded bytes, about, that are asked for at once of a store that is far and takes many requests together: by all
/// threads. They wait side by side, and a network has work.
inline constexpr auto most_from_far = std::uint64_t{128} << 20;
/// Chunks of such a mini-batch that has several shards, at most.
inline constexpr auto most_chunks_from_far = std::uint64_t{1024};

// Bytes for each chunk beside its own memory: joined ranges, and whole shards.
template <class P>
std::uint64_t memory_beside(ChunkAccess<P> const& source) {
  if (!source.shards || source.lends()) return 0;
  return source.form.encoded_bound() * (source.takes_whole_shards() + source.joins());
}

template <class P>
Batches read_batches(ChunkAccess<P> const& source, Plan const& plan, typename P::queue_type& on,
                     ReadOptions const& options) {
  constexpr bool crosses = !std::same_as<typename P::bytes_staging, space::Device>;
  auto usual = usual_of(source.form, usual_for<typename P::queue_type, typename P::array_space>(plan), on,
                        crosses ? most_through_pinned : most_in_device);
  auto const shard = source.shards ? source.shards->grid().chunk_count() : 1;
  auto const threads = on.host().threads();
  bool const is_far = !source.store.is_near(), asks_at_once = is_far && source.store.can.gets_many;
  if (source.shards) usual.chunks = std::max({usual.chunks, shard, asks_at_once ? most_chunks_from_far : 0});
  auto wanted = options;
  if (options.mini_batch == 0 && (asks_at_once || (source.shards && (is_far || source.joins())))) {
    // Fewer requests before work for all threads; but several may be one mini-batch, and then each thread has its share.
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
  // So that few shards are in two of them.
  if (options.mini_batch == 0 && batches.size > shard) batches.size -= batches.size % shard;
  return batches;
}

// Threads that a mini-batch has for itself while there are fewer mini-batches under way than threads, as where a
// device's codec decodes: there all of them fetch. One where memory is counted: of each part some is rounded up.
template <class Queue>
std::size_t threads_for_each(Batches const& batches, ReadOptions const& options, Queue& on) {
  if (std::same_as<Queue, tessera::Queue<space::Host>> || options.memory != 0) return 1;
  auto const threads = on.host().threads();
  return threads / std::max<std::size_t>(batches.lanes(threads), 1);
}

}  // namespace detail

/// Reads what is `selected`, by a ResolvedSelection or a Plan, into the target, in the queue's order. Missing chunks
/// are the fill value. Throws: StoreError, CodecError with the key, Cancelled; then all of the mini-batches that had
/// ended is placed, some or none of the one with the error, and nothing else. The target is in use until the queue is
/// done. `To` is a StridedSpan, or array/converted.hpp's.
template <class P, class Selected, class To = StridedSpan<typename P::array_space>>
void read_chunks(ChunkAccess<P> const& source, Selected const& selected, To const& target, typename P::queue_type& on,
                 ReadOptions const& options = {}) {
  auto const shard = source.shards ? source.shards->grid().chunks_per_shard() : Extents{};
  auto const& plan = detail::planned(selected, source.form.layout.shape, shard);
  auto const batches = detail::read_batches(source, plan, on, options);
  auto const threads = detail::threads_for_each(batches, options, on);
  detail::run_batches<detail::ReadBatch<P, To>>(batches, options, on,
                                                [&](auto const& lease, std::uint64_t first, std::uint64_t last) {
                                                  lease()->run(source, plan, first, last, target, threads, on, options);
                                                });
}

}}  // namespace tessera::v0
