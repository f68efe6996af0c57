// change_shape and append_block: a new shape for an open array. resize and append: the order in which its document and
// chunks change. write_parts and write_grid: write its chunks, in any grid.
//
// Elements in a chunk beyond the document's shape are undefined: interrupted programs leave some there, and other
// programs write what they like (core specification, "Regular grids"). So the document decides, as one value of the
// store:
//
//   grow     1. chunks get the fill value beyond the old shape       2. the document gets the new shape
//   shrink   1. the document gets the new shape                      2. elements of chunks beyond it are cleared
//   append   1. the elements are written beyond the old shape        2. the document gets the new shape
//
// Wherever this is interrupted, the array is in its old or its new state: when the document changes, nothing within the
// old shape has changed, and everything within the new shape is there. Readers with the old shape see the old elements,
// and the fill value for removed ones; readers with the new shape see all of its elements. Nothing depends on the
// second step of shrinking: growing the array clears what it leaves, and appending overwrites it.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include <tessera/array/detail/append.hpp>
#include <tessera/array/detail/erased_array_store.hpp>
#include <tessera/array/detail/open_array.hpp>
#include <tessera/array/detail/open_chunks.hpp>
#include <tessera/array/detail/run_call.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/core/config.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/store/detail/value_changed.hpp>
#include <tessera/store/locks.hpp>
#include <tessera/transfer/detail/chunks_outside.hpp>
#include <tessera/transfer/detail/write.hpp>
#include <tessera/transfer/detail/write_shards.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/resolved_selection.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

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

// The shape in a document that is about to change. `open` is the metadata when the array was opened. Throws:
// MetadataError, if the document is of another array by now, or not readable with the shape `other`.
TESSERA_DECL Extents replaceable_shape(Members document, Extents const& other, ArrayMetadata const& open);

/// The present shape of the array at `path` in the store, which another handle may have changed, and the new one:
/// `wanted(shape)`. Throws: MetadataError, SelectionError, if it cannot have that shape; StoreError.
template <class Named, class Store, class F>
std::pair<Extents, Extents> shapes_to_be(Named const& array, Store const& store, std::string const& path,
                                         ArrayMetadata const& open, F&& wanted) {
  return in_document(array, document_key(path, open.format), [&] {
    auto const document = store.document_members(path);
    Value const value{document};
    auto const before = ObjectReader{value, ""}.at("shape").extents(), after = wanted(before);
    if (after.rank() != before.rank())
      throw SelectionError{
          to_text({"found a shape of ", after.rank(), " dimensions, expected ", before.rank(), " dimensions"})};
    (void)replaceable_shape(document, after, open);
    return std::pair{before, after};
  });
}

/// Writes another shape into the document. Throws: MetadataError, if the document no longer has the shape `before`;
/// StoreError.
template <class Store>
void replace_shape(Store const& store, std::string const& path, ArrayMetadata const& open, Extents const& before,
                   Extents const& after, Stop stop) {
  auto const change = [&](Members& document) {
    if (auto const found = replaceable_shape(document, after, open); found != before)
      throw MetadataError{to_text({"member shape: found ", to_string(found), ", expected ", to_string(before),
                                   ": another writer changed it while this array was resized"})};
    set_member(document, "shape", to_value(after));
  };
  store.change_document(path, "shape", change, stop);
}

/// Clears chunks' elements in `beyond`: erases chunks without other elements; in other chunks, `fill(Region)` writes
/// the fill value to those elements.
template <MemorySpace S, class Queue, class Fill>
void clear_beyond(ErasedArrayStore<S> const& store, std::string const& path, ChunkKeyEncoding encoding,
                  ChunksOutside const& beyond, Queue& on, Fill&& fill) {
  beyond.for_each(store, path, encoding, on.host(), [&](Extents const& chunk) {
    if (beyond.is_cut(chunk)) return beyond.for_each_part(chunk, fill);
    auto key = path / "";
    encoding.append(key.path, chunk);
    try {
      until_unchanged([&] {
        auto const held = store.lock(key);
        store.erase(key, queue_in<S>(on));
      });
    } catch (Error& error) {
      error.in_key(key.path).in_store(store.name());
      throw;
    }
  });
}

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

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/change_shape.ipp>
#endif
