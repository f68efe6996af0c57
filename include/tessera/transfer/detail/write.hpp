// write_chunks: whole chunks in mini-batches, then chunks written in part. write_batch.hpp does the work of one
// mini-batch, batches.hpp runs them on threads.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/plan/detail/plan.hpp>
#include <tessera/transfer/detail/batches.hpp>
#include <tessera/transfer/detail/chunk_access.hpp>
#include <tessera/transfer/detail/part_placer.hpp>
#include <tessera/transfer/detail/write_batch.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// Writes the pieces [begin, end) of a plan.
template <class P>
void write_pieces(ChunkAccess<P> const& source, Extents const& shape, Plan const& plan, std::uint64_t begin,
                  std::uint64_t end, StridedView<typename P::array_space> const& origin, typename P::queue_type& on,
                  WriteOptions const& options) {
  auto const usual = usual_of(source.form, usual_for<typename P::queue_type, typename P::array_space>(plan), on,
                              most_through_pinned);
  auto const batches = batches_of(options, end - begin, source.form, on.host().threads(), usual, true);
  using Batch = WriteBatch<P>;
  typename Batch::To const to{
      source, plan, shape, origin, options.store_fill_chunks, static_cast<std::size_t>(batches.size), options.stop};
  MiniBatches<Batch, typename P::queue_type> work{batches, options, on};
  on.host().for_each(work.lanes(), [&](std::size_t) {
    for (auto lane = work.lane(); lane.next();) {
      auto const first = begin + lane.first(), last = begin + lane.last();
      if (lane.lease()->write_whole(to, first, last, on) == last - first) continue;
      plan.for_each_piece(first, last, [&](Piece const& piece) {
        if (!Batch::is_whole(to, piece)) lane.lease()->update(to, piece, on);
      });
    }
  });
}

}  // namespace detail

/// Writes `selected`, a ResolvedSelection or a Plan, from memory at `origin`, each chunk once, in the queue's order. A
/// chunk written in part keeps its other elements, whatever else is written to it through this store and its copies. If
/// an element is selected several times, the last one is written. `shape` is the array's. Throws: StoreError,
/// CodecError with the key, Cancelled; then some of the selection may be written, every chunk wholly or not at all. The
/// origin is in use until the queue is done.
template <class P, class Selected>
void write_chunks(ChunkAccess<P> const& source, Extents const& shape, Selected const& selected,
                  StridedView<typename P::array_space> const& origin, typename P::queue_type& on,
                  WriteOptions const& options = {}) {
  auto const& plan = detail::planned(selected, source.form.layout.shape, {}, Repeats::last);
  detail::write_pieces(source, shape, plan, 0, plan.size(), origin, on, options);
}

}}  // namespace tessera::v0
