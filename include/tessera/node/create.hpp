// create_array, create_any, create_group: make nodes in a store, in a folder, or below a group. NewArray: describes an
// array to be made.
#pragma once
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/value.hpp>
#include <tessera/key/key.hpp>
#include <tessera/metadata/detail/format.hpp>
#include <tessera/metadata/detail/new_documents.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/metadata/documents.hpp>
#include <tessera/node/detail/check_new.hpp>
#include <tessera/node/detail/erase.hpp>
#include <tessera/node/detail/folder.hpp>
#include <tessera/node/detail/new_array.hpp>
#include <tessera/node/detail/write_node.hpp>
#include <tessera/node/group.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {
/// Describes a new array. The codecs come from the pipeline.
template <class T>
struct NewArray {
  Extents shape;                        ///< in elements
  detail::OldChunkShape chunk_shape{};  ///< deprecated: the old name of `chunks`
  /// The shape of a shard in elements. A shard is one value of the store with many chunks. Empty: no shards; each chunk
  /// is a value.
  Extents shards{};
  /// The shape of a chunk in elements; it must divide the shape of a shard. If the pipeline has a codec::Sharding, that
  /// gives the shape of the chunks: then set only `.shards`.
  Extents chunks{};
  detail::NamedOtherwise chunk_size{}, dtype{}, fill_value{};  ///< gives a compile error that lists the members
  T fill{};                                                    ///< the value of elements that were never written
  detail::NamedOtherwise attrs{};                              ///< gives a compile error that lists the members
  Members attributes{};                         ///< of the array: `{{"unit", "mm"}}`
  detail::NamedOtherwise dims{}, dimensions{};  ///< gives a compile error that lists the members
  DimensionNames dimension_names{};             ///< none, or one for each dimension
  ChunkKeyEncoding key_encoding{};              ///< the form of the chunks' keys
  ZarrFormat format = ZarrFormat::v3;           ///< of the array's document
  bool overwrite = false;  ///< replace a node that exists at the path; if false, such a node is an error
  /// For structs in v3: uses the data type "structured", which zarr-python 3.1 reads, in place of "struct". Otherwise
  /// ignored.
  bool structured = false;
};

/// Options of create_any.
struct CreateOptions {
  bool overwrite = false;  ///< replace a node that exists at the path; if false, such a node is an error
};

/// Makes an array of the type, rank and format in its metadata, and the missing groups above it; "" is the root. The
/// metadata's codecs must be in the list `Codec`, as in open_any. Throws: MetadataError, if there is a node at the path
/// already or the metadata is invalid; CodecError, if the implementation of a codec cannot write its configuration;
/// StoreError.
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

/// Does not compile; the message says that the number of dimensions is missing.
template <class T, class... Rest, class S, class... More>
auto create_array(S const&, std::string, NewArray<T> const&, More const&...) {
  static_assert(sizeof(T) == 0,
                "tessera: create_array needs the number of dimensions: create_array<float, 3>(store, path, ...)");
  return detail::InvalidCall<T>{};
}

/// Options of create_group.
struct GroupOptions {
  bool overwrite = false;              ///< replace a node that exists at the path; if false, such a node is an error
  ZarrFormat format = ZarrFormat::v3;  ///< of the group's document
};

namespace detail {

template <class S>
Group<S> make_group(S const& store, std::string path, Members attributes, GroupOptions options,
                    FunctionRef<void()> make_room) {
  GroupMetadata metadata{std::move(attributes), {}};
  metadata.format = options.format;
  in_document(store, document_key(path, options.format, NodeType::group), [&] {
    check_node_path(path);
    write_node(metadata_of(store), path, new_documents(path, metadata), options.format, options.overwrite, make_room);
  });
  return Group<S>{store, std::move(path), std::move(metadata)};
}

}  // namespace detail

/// Makes a group at `path`, and the missing groups above it. Throws: MetadataError, if there is a node at the path
/// already; StoreError.
template <class S>
auto create_group(S const& store, std::string path = "", Members attributes = {}) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_store<Store>() || !detail::check_documents<Store>())
    return detail::InvalidGroup{};
  else
    return detail::make_group(detail::store_of(store), std::move(path), std::move(attributes), {}, [] {});
}
/// As above, or replaces the node at the path: `create_group(store, "scan", {}, {.overwrite = true})` erases it and
/// everything below it, as erase_node does. `{.format = ZarrFormat::v2}` makes a Zarr v2 group.
template <class S>
auto create_group(S const& given, std::string path, Members attributes, GroupOptions options) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_store<Store>() || !detail::check_metadata_store<Store>() ||
                !detail::check_writable<Store>()) {
    return detail::InvalidGroup{};
  } else {
    auto const& store = detail::store_of(given);
    return detail::make_group(store, path, std::move(attributes), options, [&] {
      if (!options.overwrite) return;
      queue_of<Store> on;
      detail::erase_below(store, path, on);
      on.wait();
    });
  }
}

/// As above, with a group in place of the store; `path` begins at the group.
template <class T, std::size_t Rank, class P = detail::usual_pipeline<T>, class S, class... On>
auto create_array(Group<S> const& group, std::string path, NewArray<T> const& wanted, P const& pipeline = {},
                  On... on) {
  return create_array<T, Rank>(group.store(), group / path, wanted, pipeline, std::move(on)...);
}
template <class S>
auto create_group(Group<S> const& group, std::string path, Members attributes = {}, GroupOptions options = {}) {
  return create_group(group.store(), group / path, std::move(attributes), options);
}

/// As above, with the name of a folder in place of the store.
template <class Codec = BuiltInCodecs, detail::FolderName S, class... On>
auto create_any(S const& folder, std::string path, ArrayMetadata metadata, CreateOptions options = {}, On... on) {
  return create_any<Codec>(detail::store_of(folder), std::move(path), std::move(metadata), options, std::move(on)...);
}
template <class T, std::size_t Rank, class P = detail::usual_pipeline<T>, detail::FolderName S, class... On>
auto create_array(S const& folder, std::string path, NewArray<T> const& wanted, P const& pipeline = {}, On... on) {
  return create_array<T, Rank>(detail::store_of(folder), std::move(path), wanted, pipeline, std::move(on)...);
}

}}  // namespace tessera::v0
