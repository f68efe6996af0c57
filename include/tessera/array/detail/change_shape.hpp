// change_shape and append_block: a new shape for an open array. array/detail/resize.hpp explains the order of steps.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstring>
#include <utility>

#include <tessera/array/detail/append.hpp>
#include <tessera/array/detail/open_array.hpp>
#include <tessera/array/detail/resize.hpp>
#include <tessera/array/detail/run_call.hpp>
#include <tessera/array/detail/write_parts.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/store/locks.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/resolved_selection.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class Store>
void publish(SharedArray& array, Store const& store, Extents const& before, Extents const& after,
             Stop stop = nullptr) {
  if (before != after) replace_shape(store, array.path, array.metadata, before, after, stop);
  array.shape.set(after);
}

// Writes the fill value to chunks' elements inside the shape `shown` and outside the shape `kept`.
template <class P>
void clear(OpenArray<P>& array, typename OpenArray<P>::Writable const& store, Extents const& kept,
           Extents const& shown, typename P::queue_type& on) {
  using Space = typename P::array_space;
  auto const& metadata = array.array->metadata;
  ChunksOutside const beyond{kept, shown, metadata.chunk_shape, metadata.edges};
  if (beyond.size() == 0) return;
  auto const whole = beyond.whole_chunks();             // as if the array had all their elements
  auto const write_each = [&](std::byte const* fill) {  // strides of 0: the same element everywhere
    StridedView<Space> const from{fill, Strides::filled(kept.rank(), 0)};
    clear_beyond(store, array.array->path, metadata.key_encoding, beyond, on,
                 [&](Region const& region) { write_parts(array, store, whole, region, from, on, {}); });
  };
  if constexpr (std::same_as<Space, space::Host>) {
    write_each(array.fill_element().data);
  } else {
    HostBuffer here{metadata.fill.size()};
    std::memcpy(here.span().data, metadata.fill.data(), metadata.fill.size());
    auto there = copy_to<buffer_in_t<Space>>(std::move(here), on);
    write_each(there.view().data);
    on.keep(std::move(there));
  }
}

/// AnyArray::resize.
template <class P>
void change_shape(OpenArray<P>& array, typename OpenArray<P>::Writable const& store, Extents const& shape,
                  typename P::queue_type& on) {
  auto& shared = *array.array;
  auto const held = shared.shape.change(nullptr);
  auto const alone = store.lock_folder(shared.path, Sharing::alone, nullptr);
  auto const [before, after] =
      shapes_to_be(array, store, shared.path, shared.metadata, [&](Extents const&) { return shape; });
  try {
    clear(array, store, before, after, on);
    publish(shared, store, before, after);
    clear(array, store, after, before, on);
  } catch (...) {
    wait_and_throw(on);
  }
}

/// AnyArray::append_from.
template <class P>
auto append_block(OpenArray<P>& array, typename OpenArray<P>::Writable const& store, std::size_t axis,
                  Extents const& block, StridedView<typename P::array_space> const& from,
                  typename P::queue_type& on, WriteOptions const& options) {
  auto& shared = *array.array;
  auto const held = shared.shape.change(options.stop);
  auto const alone = store.lock_folder(shared.path, Sharing::alone, options.stop);
  auto const [before, after] = shapes_to_be(array, store, shared.path, shared.metadata, [&](Extents const& shape) {
    return appended(shape, axis, block, from.strides);
  });
  Region region{Extents::filled(block.rank(), 0), block, Extents::filled(block.rank(), 1)};
  region.first[axis] = before[axis];
  ResolvedSelection const added{region};
  try {
    write_parts(array, store, after, added, from, on, options);
    publish(shared, store, before, after, options.stop);
    return finish(array, "an append", added, on);
  } catch (...) {
    fail(array, "an append", added, on);
  }
}

}}}  // namespace tessera::v0::detail
