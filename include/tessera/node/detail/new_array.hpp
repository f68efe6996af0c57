// What create_array needs besides its contract: names that NewArray refuses, and the documents of a new array.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/array/array.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/value.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/detail/format.hpp>
#include <tessera/metadata/detail/new_documents.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/node/detail/check_new.hpp>
#include <tessera/node/detail/erase.hpp>
#include <tessera/node/detail/write_node.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {

template <class T>
struct NewArray;

namespace detail {

// The name of .chunks before 0.2, until 0.3.
struct OldChunkShape : Extents {
  OldChunkShape() = default;
  [[deprecated("NewArray::chunk_shape was renamed chunks")]] OldChunkShape(
      std::initializer_list<Entry<std::uint64_t>> given)
      : Extents(given) {}
  template <class R>
  requires std::constructible_from<Extents, R const&>
  [[deprecated("NewArray::chunk_shape was renamed chunks")]] OldChunkShape(R const& given) : Extents(given) {}
};

// Names that programs use in place of a member's.
struct NamedOtherwise {
  NamedOtherwise() = default;
  template <class... A>
  requires(sizeof...(A) > 0 && !(std::same_as<A, NamedOtherwise> && ...)) NamedOtherwise(A const&...) {
    static_assert(sizeof...(A) == 0,
                  "tessera: a new array has no member of this name; its members are, in order, .shape, .shards, "
                  ".chunks, .fill, .attributes, .dimension_names, .key_encoding, .format, .overwrite and .structured");
  }
};

// Erases chunks without a document, left by a program that ended while erasing their array: they would become elements
// of the new one. Not possible in a store that cannot list.
template <class S>
void erase_left_chunks(S const& store, std::string_view path, ChunkKeyEncoding encoding, std::size_t rank,
                       queue_of<S>& on) {
  auto const& chunks = chunks_of(store);
  if constexpr (ListableStore<std::remove_cvref_t<decltype(chunks)>>) {
    if (!can_list(chunks)) return;
    Keys left;
    chunks.list(path, [&](Listed const& entry) {
      auto const key = entry.path.substr(path.empty() ? 0 : path.size() + 1);
      if (encoding.place_of(key, rank)) left.push_back({std::string{entry.path}});
    });
    for (auto const& key : left) chunks.erase(key, on);
  }
}

/// Writes a new array's documents. Erases what is below the path, or only chunks that an erased array left.
template <class S>
void write_array(S const& store, std::string const& path, NewDocuments const& documents,
                 ArrayMetadata const& metadata, bool overwrite, queue_of<S>& on) {
  write_node(metadata_of(store), path, documents, metadata.format, overwrite, [&] {
    if (overwrite)
      erase_below(store, path, on);
    else
      erase_left_chunks(store, path, metadata.key_encoding, metadata.shape.rank(), on);
  });
}

template <class T, class P>
ArrayMetadata described(NewArray<T> const& wanted, P const& pipeline) {
  auto const type = data_type_of<T>();
  Extents const& old = wanted.chunk_shape;
  if (wanted.chunks.rank() > 0 && old.rank() > 0)
    throw MetadataError{"found .chunks and .chunk_shape, its old name: give only .chunks"};
  auto const& chunks = wanted.chunks.rank() > 0 ? wanted.chunks : old;
  bool const in_shards = wanted.shards.rank() > 0;
  check_new_chunks(wanted.shape, chunks, wanted.shards, wanted.chunks.rank() > 0 || old.rank() == 0);
  ArrayMetadata array{wanted.shape,
                      type,
                      in_shards ? wanted.shards : chunks,
                      wanted.key_encoding,
                      ElementsOf<T>::fill_of(wanted.fill),
                      {},
                      wanted.attributes,
                      wanted.dimension_names,
                      Members{},
                      List{},
                      wanted.format,
                      fields_of<T>(),
                      wanted.structured && wanted.format == ZarrFormat::v3 && type.kind == DataKind::structure};
  auto chunk = chunk_of(array);
  array.codecs = in_shards ? specifications_in_shards(pipeline, chunks, chunk) : pipeline.specifications(chunk);
  return array;
}

}  // namespace detail
}}  // namespace tessera::v0
