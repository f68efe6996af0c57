// Makes arrays in a store.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/key/chunk_key.hpp>
#include <tessera/metadata/new_documents.hpp>
#include <tessera/metadata/node_document.hpp>
#include <tessera/node/check_new.hpp>
#include <tessera/node/erase.hpp>
#include <tessera/node/new_array.hpp>
#include <tessera/node/open.hpp>
#include <tessera/node/write_node.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// Chunks without a document, left by a program that was ended while it erased their array: they would become elements
// of the new one. In a store that cannot list they are not found.
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

}  // namespace detail

struct CreateOptions {
  bool overwrite = false;  ///< erase what is at the path; else it is an error if there is something
};

/// Makes an array of a type and rank known at run time, as its metadata says, and the missing groups above it, in the
/// format that it says; "" is the root. The codecs named in the metadata must be in the list `Codec`, as in open_any.
/// Throws: MetadataError, if there is something at the path already or the metadata describes no array; StoreError.
template <class Codec = BuiltInCodecs, class S, class... On>
auto create_any(S const& store, std::string path, ArrayMetadata metadata, CreateOptions options = {}, On... on) {
  if constexpr (!detail::check_opening<Codec, S, On...>() || !detail::check_writable<S>()) {
    return detail::InvalidCall{};
  } else {
    using P = typename detail::pipeline_over<Codec, S>::type;
    return detail::in_document(store, document_key(path, metadata.format), [&] {
      detail::check_node_path(path);
      metadata.codecs = P::from(metadata.codecs).specifications(metadata.type);
      detail::check_new(metadata);
      if (metadata.format == ZarrFormat::v2) metadata = detail::as_v2(std::move(metadata));
      // First: nothing is erased or made for what cannot be written.
      auto const documents = detail::new_documents(path, metadata);
      AnyArray<S, P> array{store, path, std::move(metadata), detail::queue_given<P>(std::move(on)...)};
      detail::write_node(metadata_of(store), path, documents, array.metadata().format, options.overwrite,
                         [&] {
                           auto& queue = queue_in<space_of<S>>(array.queue());
                           if (options.overwrite)
                             detail::erase_below(store, path, queue);
                           else
                             detail::erase_left_chunks(store, path, array.metadata().key_encoding,
                                                       array.metadata().shape.rank(), queue);
                         });
      return array;
    });
  }
}

/// Makes an array of T with Rank dimensions. Its document gets the codecs of `pipeline`, and the array is opened with
/// them. Throws: as create_any.
template <class T, std::size_t Rank, class P = detail::usual_pipeline<T>, class S, class... On>
auto create_array(S const& store, std::string path, NewArray<T> const& wanted, P const& pipeline = {}, On... on) {
  if constexpr (!detail::check_element<T>()) {
    return detail::InvalidCall{};
  } else if constexpr (!detail::was_refused<P>() && !detail::PipelineType<P>) {
    static_assert(
        detail::PipelineType<P>,
        "tessera: a new array has the codecs of one pipeline: give a Pipeline<space, codecs...>; a Codecs<...> "
        "is what files to be opened may name; a queue comes after the codecs, of which {} are the usual ones");
    return detail::InvalidCall{};
  } else if constexpr (!detail::check_opening<P, S, On...>() || !detail::check_writable<S>()) {
    return detail::InvalidCall{};
  } else if constexpr (!detail::check_elements_space<T, P, S>()) {
    return detail::InvalidCall{};
  } else {
    if (wanted.shape.rank() != Rank)
      throw MetadataError{text({"a shape of ", wanted.shape.rank(), " dimensions, expected ", Rank})}
          .in_key(document_key(path, wanted.format).path)
          .in_store(name_of(metadata_of(store)));
    auto array =
        create_any<P>(store, path,
                      ArrayMetadata{wanted.shape, data_type_of<T>(), wanted.chunk_shape, wanted.key_encoding,
                                    detail::ElementsOf<T>::fill_of(wanted.fill),
                                    pipeline.specifications(data_type_of<T>()), wanted.attributes,
                                    wanted.dimension_names, Members{}, List{}, wanted.format, detail::fields_of<T>()},
                      CreateOptions{wanted.overwrite}, std::move(on)...);
    return Array<T, Rank, S, P>{std::move(array)};
  }
}

/// Not a function to call: its message says that the number of dimensions is missing.
template <class T, class... Rest, class S, class... More>
auto create_array(S const&, std::string, NewArray<T> const&, More const&...) {
  static_assert(sizeof(T) == 0,
                "tessera: an array is made with its number of dimensions: create_array<float, 3>(store, path, ...)");
  return detail::InvalidCall{};
}

}}  // namespace tessera::v0
