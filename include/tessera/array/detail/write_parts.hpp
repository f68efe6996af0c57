// write_parts and write_grid: write an open array's chunks, in any grid.
#pragma once
#include <cstddef>

#include <tessera/array/detail/open_array.hpp>
#include <tessera/array/detail/open_chunks.hpp>
#include <tessera/transfer/detail/write.hpp>
#include <tessera/transfer/detail/write_shards.hpp>
#include <tessera/transfer/options.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Writes a selection of a grid, or a plan of it, from a type like StridedView.
template <class P, class What>
void write_grid(OpenArray<P>& array, typename OpenArray<P>::Writable const& store, RegularGrid const& grid,
                What const& selected, StridedView<typename P::array_space> const& from, typename P::queue_type& on,
                WriteOptions const& options) {
  OpenChunks<P, typename OpenArray<P>::Writable> const chunks{array, store, grid};
  if (chunks.access().shards) return write_shards(chunks.access(), grid.shape, selected, from, on, options);
  write_chunks(chunks.access(), grid.shape, selected, from, on, options);
}

/// As if the array had that shape.
template <class P>
void write_parts(OpenArray<P>& array, typename OpenArray<P>::Writable const& store, Extents const& shape,
                 ResolvedSelection const& selected, StridedView<typename P::array_space> const& from,
                 typename P::queue_type& on, WriteOptions const& options) {
  array.for_each_part(shape, selected, from.strides,
                      [&](RegularGrid const& grid, ResolvedSelection const& some, std::ptrdiff_t offset) {
                        auto there = from;
                        there.data += offset;
                        write_grid(array, store, grid, some, there, on, options);
                      });
}

}}}  // namespace tessera::v0::detail
