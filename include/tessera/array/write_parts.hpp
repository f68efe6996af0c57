// How an open array's chunks are written, of any grid.
#pragma once
#include <cstddef>

#include <tessera/array/array_state.hpp>
#include <tessera/array/open_chunks.hpp>
#include <tessera/pipeline/erased_pipeline.hpp>
#include <tessera/transfer/write.hpp>
#include <tessera/transfer/write_options.hpp>
#include <tessera/transfer/write_shards.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Writes what is selected of a grid, or a plan of it, from something like a StridedView.
template <class S, class P, class What, class From>
void write_grid(ArrayState<S, P>& array, RegularGrid const& grid, What const& selected, From const& from,
                typename P::queue_type& on, WriteOptions const& options) {
  EncoderOf<typename P::leaf_type> const encoder{array.pipeline.leaf()};
  WritableChunks<S, P> const chunks{array, grid, &encoder};
  if constexpr (P::may_be_sharded)
    if (chunks.access().shards) return write_shards(chunks.access(), grid.shape, selected, from, on, options);
  write_chunks(chunks.access(), grid.shape, selected, from, on, options);
}

/// As if the array had that shape.
template <class S, class P, class From>
void write_parts(ArrayState<S, P>& array, Extents const& shape, ResolvedSelection const& selected, From const& from,
                 typename P::queue_type& on, WriteOptions const& options) {
  array.for_each_part(shape, selected, from.strides,
                      [&](RegularGrid const& grid, ResolvedSelection const& some, std::ptrdiff_t offset) {
                        auto there = from;
                        there.data += offset;
                        write_grid(array, grid, some, there, on, options);
                      });
}

}}}  // namespace tessera::v0::detail
