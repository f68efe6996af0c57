// An array grows and shrinks: what its document and its chunks go through, in which order.
//
// What lies in a chunk beyond the document's shape is nobody's: programs that ended half-way leave it there, and others
// write what they like (core specification, "Regular grids"). So the document is what is believed, and one value of the
// store:
//
//   grow     1. what chunks have beyond the old shape becomes the fill value    2. the document gets the new shape
//   shrink   1. the document gets the new shape    2. what chunks have beyond it goes
//   append   1. the elements are written beyond the old shape    2. the document gets the new shape
//
// Wherever this ends, the array is as it was or as it shall be: before the document changes nothing within the old
// shape has changed, and all within the new shape is there. Who reads with the old shape sees the old elements, and the
// fill value where they went; who reads with the new one sees them in their place. Nothing depends on the second step
// of shrinking: what it leaves is cleared when the array grows over it, and written over when it is appended to.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/node_document.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/value_changed.hpp>
#include <tessera/transfer/chunks_outside.hpp>
#include <tessera/transfer/write.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

// The shape that a document says, which shall get another. `open` is what it said when the array was opened. Throws:
// MetadataError, if it is another array's by now, or could not be read with that shape.
inline Extents replaceable_shape(Members document, Extents const& other, ArrayMetadata const& open) {
  auto const read = [](Members members) {
    Value const value{std::move(members)};
    ObjectReader reader{value, ""};
    (void)reader.at("zarr_format");
    return read_array_metadata(reader);
  };
  auto const found = read(document);
  if (found.chunk_shape != open.chunk_shape || found.edges != open.edges || found.type != open.type ||
      found.fields != open.fields)
    throw MetadataError{"there is another array at this path than the one that was opened"};
  set_member(document, "shape", to_value(other));
  (void)read(std::move(document));
  return found.shape;
}

/// The shape of the array at `path` in the store now, which another handle may have changed, and the new one:
/// `wanted(shape)`. Throws: MetadataError, SelectionError, if it cannot have that shape; StoreError.
template <class S, class F>
std::pair<Extents, Extents> shapes_to_be(S const& store, std::string const& path, ArrayMetadata const& open,
                                         F&& wanted) {
  return in_document(store, document_key(path, open.format), [&] {
    auto const document = document_members(metadata_of(store), path);
    Value const value{document};
    auto const before = ObjectReader{value, ""}.at("shape").extents(), after = wanted(before);
    if (after.rank() != before.rank())
      throw SelectionError{
          text({"a shape of ", after.rank(), " dimensions for an array of ", before.rank(), " dimensions"})};
    (void)replaceable_shape(document, after, open);
    return std::pair{before, after};
  });
}

/// Writes another shape into the document. Throws: MetadataError, if the document no longer has the shape `before`;
/// StoreError.
template <class S>
void replace_shape(S const& store, std::string const& path, ArrayMetadata const& open, Extents const& before,
                   Extents const& after) {
  change_document(store, path, "shape", [&](Members& document) {
    if (auto const found = replaceable_shape(document, after, open); found != before)
      throw MetadataError{text({"member shape: found ", to_string(found), ", expected ", to_string(before),
                                ": somebody changed it while this array grew or shrank"})};
    set_member(document, "shape", to_value(after));
  });
}

/// Clears what chunks have of the shape `shown` beyond the shape `kept`: erases chunks that have nothing else, and
/// keeps the rest of the others, where `fill(Region)` writes the fill value.
template <class S, class Queue, class Fill>
void clear_beyond(S const& store, std::string const& path, ChunkKeyEncoding encoding, ChunksOutside const& beyond,
                  KeyLocks& locks, Queue& on, Fill&& fill) {
  beyond.for_each(chunks_of(store), path, encoding, on.host(), [&](Extents const& chunk) {
    if (beyond.is_cut(chunk)) return beyond.for_each_part(chunk, fill);
    auto key = path / "";
    encoding.append(key.path, chunk);
    try {
      until_unchanged([&] {
        auto const held = lock_of(store, key, locks);
        store.erase(key, queue_in<space_of<S>>(on));
      });
    } catch (Error& error) {
      error.in_key(key.path).in_store(name_of(store));
      throw;
    }
  });
}

}  // namespace detail
}}  // namespace tessera::v0
