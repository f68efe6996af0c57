// resize and append: the order in which an array's document and chunks change.
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
#include <string>
#include <utility>

#include <tessera/array/detail/erased_array_store.hpp>
#include <tessera/core/config.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/store/detail/value_changed.hpp>
#include <tessera/store/locks.hpp>
#include <tessera/transfer/detail/chunks_outside.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

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

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/resize.ipp>
#endif
