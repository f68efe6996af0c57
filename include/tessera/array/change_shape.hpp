// How an open array gets another shape, in the order that array/resize.hpp explains.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include <tessera/array/append.hpp>
#include <tessera/array/array_state.hpp>
#include <tessera/array/resize.hpp>
#include <tessera/array/under_way.hpp>
#include <tessera/array/write_parts.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/store/folder_lock.hpp>
#include <tessera/transfer/write_options.hpp>
#include <tessera/view/selected.hpp>
#include <tessera/view/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <class S, class P>
void publish(ArrayState<S, P>& array, Extents const& before, Extents const& after) {
  if (before != after) replace_shape(array.store, array.path, array.metadata, before, after);
  array.shape.set(after);
}

// What chunks have of the shape `shown` beyond the shape `kept` becomes the fill value.
template <class S, class P>
void clear(ArrayState<S, P>& array, Extents const& kept, Extents const& shown, typename P::queue_type& on) {
  using Space = typename P::array_space;
  auto const& metadata = array.metadata;
  ChunksOutside const beyond{kept, shown, metadata.chunk_shape, metadata.edges};
  if (beyond.size() == 0) return;
  auto const whole = beyond.whole_chunks();             // as if all of them were the array's
  auto const write_each = [&](std::byte const* fill) {  // the same element everywhere: of no strides
    StridedView<Space> const from{fill, Strides::filled(kept.rank(), 0)};
    clear_beyond(array.store, array.path, metadata.key_encoding, beyond, array.locks, on,
                 [&](Region const& region) { write_parts(array, whole, region, from, on, {}); });
  };
  if constexpr (std::same_as<Space, space::Host>) {
    write_each(array.fill_element().data);
  } else {
    HostBuffer here{metadata.fill.size()};
    std::memcpy(here.span().data, metadata.fill.data(), metadata.fill.size());
    auto there = cast<buffer_in_t<Space>>(std::move(here), on);
    write_each(there.view().data);
    on.keep(std::move(there));
  }
}

/// AnyArray::resize.
template <class S, class P>
void change_shape(ArrayState<S, P>& array, Extents const& shape, typename P::queue_type& on) {
  auto const held = array.shape.change();
  auto const alone = array.lock_shape(Sharing::alone);
  auto const [before, after] =
      shapes_to_be(array.store, array.path, array.metadata, [&](Extents const&) { return shape; });
  try {
    clear(array, before, after, on);
    publish(array, before, after);
    clear(array, after, before, on);
  } catch (...) {
    wait_and_throw(on);
  }
}

/// AnyArray::append_from.
template <class S, class P, class From>
auto append_block(std::shared_ptr<ArrayState<S, P>> const& array, std::size_t axis, Extents const& block,
                  From const& from, typename P::queue_type& on, WriteOptions const& options) {
  auto const held = array->shape.change();
  auto const alone = array->lock_shape(Sharing::alone);
  auto const [before, after] = shapes_to_be(array->store, array->path, array->metadata, [&](Extents const& shape) {
    return appended(shape, axis, block, from.strides);
  });
  Region region{Extents::filled(block.rank(), 0), block, Extents::filled(block.rank(), 1)};
  region.first[axis] = before[axis];
  ResolvedSelection const added{region};
  try {
    write_parts(*array, after, added, from, on, options);
    publish(*array, before, after);
    return finish(array, "an append", added, on);
  } catch (...) {
    fail(array, "an append", added, on);
  }
}

}}}  // namespace tessera::v0::detail
