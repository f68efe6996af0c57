// create_array, create_any: make arrays in a store. NewArray: describes an array to be made.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/value.hpp>
#include <tessera/key/chunk_key.hpp>
#include <tessera/metadata/array_metadata.hpp>
#include <tessera/metadata/detail/new_documents.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/metadata/format.hpp>
#include <tessera/node/detail/check_new.hpp>
#include <tessera/node/detail/write_node.hpp>
#include <tessera/node/erase.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 {
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

}  // namespace detail

/// Describes a new array. The codecs come from the pipeline.
template <class T>
struct NewArray {
  Extents shape;                        ///< in elements
  detail::OldChunkShape chunk_shape{};  ///< not to be named
  /// Of the shards, in elements: the values of the store, each with many chunks. Empty: each chunk is a value.
  Extents shards{};
  /// Of the chunks, in elements: the parts that are encoded and decoded. They divide a shard. A pipeline with its own
  /// codec::Sharding has their shape; then give `.shards` alone.
  Extents chunks{};
  detail::NamedOtherwise chunk_size{}, dtype{}, fill_value{};  ///< not to be named
  T fill{};                                                    ///< the value of elements that were never written
  detail::NamedOtherwise attrs{};                              ///< not to be named
  Members attributes{};                         ///< of the array: `{{"unit", "mm"}}`
  detail::NamedOtherwise dims{}, dimensions{};  ///< not to be named
  DimensionNames dimension_names{};             ///< none, or one for each dimension
  ChunkKeyEncoding key_encoding{};              ///< how the keys of chunks are made
  ZarrFormat format = ZarrFormat::v3;           ///< of the array's document
  bool overwrite = false;  ///< erase the node at the path; if false, an existing node is an error
  /// For structs in v3: uses the data type "structured", which zarr-python 3.1 reads, in place of "struct". Otherwise
  /// ignored.
  bool structured = false;
};

namespace detail {

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

/// Options of create_any.
struct CreateOptions {
  bool overwrite = false;  ///< erase the node at the path; if false, an existing node is an error
};

/// Makes an array of the type, rank and format in its metadata, and the missing groups above it; "" is the root. The
/// metadata's codecs must be in the list `Codec`, as in open_any. Throws: MetadataError, if there is a node at the path
/// already or the metadata is invalid; CodecError, if a codec's implementation cannot write what its configuration asks
/// for; StoreError.
template <class Codec = BuiltInCodecs, class S, class... On>
auto create_any(S const& store, std::string path, ArrayMetadata metadata, CreateOptions options = {}, On... on) {
  if constexpr (!detail::check_opening<Codec, S, On...>() || !detail::check_writable<S>()) {
    return detail::InvalidCall{};
  } else {
    using P = typename detail::pipeline_over<Codec, S>::type;
    return detail::in_document(store, document_key(path, metadata.format), [&] {
      detail::check_node_path(path);
      metadata.codecs = detail::with_shards<P>(metadata.codecs, [&]<class Q>(std::type_identity<Q>) {
        auto const pipeline = Q::from(metadata.codecs);
        detail::in_codecs_of(store, document_key(path, metadata.format), [&] { pipeline.expect_encodes(); });
        return pipeline.specifications(chunk_of(metadata));
      });
      detail::check_new(metadata);
      if (metadata.format == ZarrFormat::v2) metadata = detail::as_v2(std::move(metadata));
      // First: if the documents cannot be written, nothing is erased or made.
      auto const documents = detail::new_documents(path, metadata);
      AnyArray<S, P> array{store, path, std::move(metadata), detail::queue_given<P>(std::move(on)...)};
      detail::write_array(store, path, documents, array.metadata(), options.overwrite,
                          queue_in<space_of<S>>(array.queue()));
      return array;
    });
  }
}

/// Makes an array of T with Rank dimensions. Its document lists the codecs of `pipeline`, and the array is opened with
/// them. Throws: as create_any.
template <class T, std::size_t Rank, class P = detail::usual_pipeline<T>, class S, class... On>
auto create_array(S const& store, std::string path, NewArray<T> const& wanted, P const& pipeline = {}, On... on) {
  if constexpr (!detail::check_element<T>()) {
    return detail::InvalidCall<T>{};
  } else if constexpr (!detail::was_refused<P>() && !detail::PipelineType<P>) {
    static_assert(
        detail::PipelineType<P>,
        "tessera: a new array needs the codecs of one pipeline: pass a Pipeline<space, codecs...>; a Codecs<...> "
        "is a list of codecs for opening files; a queue comes after the codecs, of which {} are the defaults");
    return detail::InvalidCall<T>{};
  } else if constexpr (!detail::check_opening<P, S, On...>() || !detail::check_writable<S>()) {
    return detail::InvalidCall<T>{};
  } else if constexpr (!detail::check_elements_space<T, P, S>()) {
    return detail::InvalidCall<T>{};
  } else {
    auto metadata = detail::in_document(store, document_key(path, wanted.format), [&] {
      if (wanted.shape.rank() != Rank)
        throw MetadataError{to_text({"found .shape of ", wanted.shape.rank(), " dimensions, expected ", Rank})};
      return detail::described(wanted, pipeline);
    });
    return Array<T, Rank, S, P>{create_any<P>(store, path, std::move(metadata), CreateOptions{wanted.overwrite},
                                              std::move(on)...)};
  }
}

/// Not to be called: the compile error says that the number of dimensions is missing.
template <class T, class... Rest, class S, class... More>
auto create_array(S const&, std::string, NewArray<T> const&, More const&...) {
  static_assert(sizeof(T) == 0,
                "tessera: create_array needs the number of dimensions: create_array<float, 3>(store, path, ...)");
  return detail::InvalidCall<T>{};
}

}}  // namespace tessera::v0
