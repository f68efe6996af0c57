// Makes arrays in a store.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/metadata/expected_element.hpp>
#include <tessera/metadata/new_documents.hpp>
#include <tessera/metadata/node_document.hpp>
#include <tessera/node/erase.hpp>
#include <tessera/node/open.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/folder_lock.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/value_changed.hpp>

namespace tessera { inline namespace v0 {

namespace detail {

// What zarr-python says for chunk_shape: a line of its own.
struct NamedChunks {
  NamedChunks() = default;
  template <class... A>
  requires(sizeof...(A) > 0 && !(std::same_as<A, NamedChunks> && ...)) NamedChunks(A const&...) {
    static_assert(sizeof...(A) == 0,
                  "tessera: a new array has a .chunk_shape, and no .chunks; name what you give: "
                  "{.shape = {100, 200}, .chunk_shape = {10, 20}, .fill = 1}");
  }
};
// The same, for what the codecs say.
struct NamedShards {
  NamedShards() = default;
  template <class... A>
  requires(sizeof...(A) > 0 && !(std::same_as<A, NamedShards> && ...)) NamedShards(A const&...) {
    static_assert(
        sizeof...(A) == 0,
        "tessera: a new array has no .shards: .chunk_shape is the shape of its shards, and the codec has that of the "
        "chunks in them: Pipeline<space::Host, codec::Sharding<Inner>>{codec::Sharding<Inner>{{25, 25}}}");
  }
};

}  // namespace detail

/// Describes a new array. The codecs come from the pipeline.
template <class T>
struct NewArray {
  Extents shape;
  Extents chunk_shape{};
  detail::NamedChunks chunks{};  ///< not to be named
  detail::NamedShards shards{};  ///< likewise
  T fill{};
  Members attributes{};
  DimensionNames dimension_names{};  ///< none, or one for each dimension
  ChunkKeyEncoding key_encoding{};
  ZarrFormat format = ZarrFormat::v3;
  bool overwrite = false;  ///< erase what is at the path; else it is an error if there is something
};

namespace detail {

// Names of a node, as the core specification allows them ("Node names"), and not those of the documents of Zarr v2.
inline void check_node_path(std::string_view path) {
  if (path.empty()) return;
  check(Key{std::string{path}});
  for (auto rest = path;;) {
    auto const slash = rest.find('/');
    auto const name = rest.substr(0, slash);
    if (name.find_first_not_of('.') == name.npos || name.starts_with("__") || is_document(name))
      throw MetadataError{text({"not a node's name: ", describe(std::string{name})})}.in_key(path);
    if (slash == rest.npos) return;
    rest.remove_prefix(slash + 1);
  }
}

template <class S>
std::optional<std::string> node_type(S const& documents, std::string_view path) {
  return read_documents(documents, path, [](ObjectReader& reader) {
    return reader.at("node_type").one_of({"array", "group"});
  });
}

// The last one, which makes the node, is not among them: it is written under its lock, and keys may share a lock.
template <class S>
void write_first_documents(S const& store, NewDocuments const& documents) {
  for (std::size_t i = 0; i + 1 < documents.size(); ++i) write_text(store, documents[i].key, documents[i].text);
}

// Every ancestor of a node is a group: made, in that format, where there is nothing.
template <class S>
void make_ancestors(S const& documents, std::string_view path, ZarrFormat format) {
  GroupMetadata group;
  group.format = format;
  for_each_ancestor(path, [&](std::string_view ancestor) {
    bool const is_made = until_unchanged([&] {
      auto const key = document_key(ancestor, format, NodeType::group);
      [[maybe_unused]] auto const held = lock_of(documents, key);
      auto const type = node_type(documents, ancestor);
      if (!type) return write_text(documents, key, new_documents(ancestor, group).back().text), true;
      if (*type != "group")
        throw MetadataError{text({"there is an array above \"", path, "\"; arrays have no children"})}
            .in_key(document_key(ancestor).path)
            .in_store(name_of(documents));
      return false;
    });
    if (!is_made) drop_consolidated(documents, ancestor, format);
  });
}

// Puts new documents at a path whose groups above are made too. Of several threads and processes that want to, one
// makes the node. `make_room` erases what would be taken for the new node's.
template <class D, class MakeRoom>
void write_node(D const& documents, std::string_view path, NewDocuments const& node, ZarrFormat format, bool overwrite,
                MakeRoom&& make_room) {
  auto const expect_none = [&] {
    if (!overwrite && node_type(documents, path))
      throw MetadataError{
          "there is a node already; .overwrite = true makes the new one in its place, erase_node erases it"};
  };
  expect_none();
  make_ancestors(documents, path, format);
  auto const alone = lock_folder(documents, path, Sharing::alone);
  until_unchanged([&] {
    expect_none();
    make_room();
    write_first_documents(documents, node);
    [[maybe_unused]] auto const held = lock_of(documents, node.back().key);
    expect_none();
    write_text(documents, node.back().key, node.back().text);
  });
}

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

// The fields of a struct fill it, one after the other.
[[gnu::cold]] inline void check_fields(DataType type, std::span<Field const> fields) {
  std::uint64_t at = 0;
  bool is_filled = (type.kind != DataKind::structure && fields.empty()) || type == structure_of(fields);
  for (auto const& field : fields) {
    check_fields(field.type, field.fields);
    is_filled = is_filled && field.at == at;
    at += field.type.size;
  }
  if (!is_filled || (!fields.empty() && at != type.size))
    throw MetadataError{text({"fields that are not those of the type ", type.name(), ": ", describe_fields(fields)})};
}

// What a document may not say of an array, however it is made.
inline void check_new(ArrayMetadata const& array) {
  auto const rank = array.shape.rank();
  if (array.chunk_shape.rank() != rank)
    throw MetadataError{text({"a chunk shape of ", array.chunk_shape.rank(), " dimensions, expected ", rank})};
  if (!array.dimension_names.empty() && array.dimension_names.size() != rank)
    throw MetadataError{text({"found ", array.dimension_names.size(), " dimension names, expected ", rank})};
  for (auto n : array.chunk_shape)
    if (n == 0)
      throw MetadataError{text({"chunk shape ", to_string(array.chunk_shape), ": expected numbers from 1 on"})};
  if (!array.type.varies() && array.fill.size() != array.type.size)
    throw MetadataError{text({"a fill value of ", array.fill.size(), " bytes, expected ", array.type.size})};
  checked_size(checked_product(element_count(array.shape, "shape"), array.type.size, "shape"), "shape");
  for (std::size_t d = 0; d < array.edges.size(); ++d)
    if (array.edges.size() != rank || array.edges[d].runs.empty() || array.edges[d].longest() != array.chunk_shape[d])
      throw MetadataError{"the longest chunks of a rectilinear grid are its chunk shape; found other edges"};
  check_fields(array.type, array.fields);
  auto const document = to_value(array);  // and it is one that can be opened again
  ObjectReader reader{document, ""};
  (void)reader.at("zarr_format");
  auto const again = read_array_metadata(reader);
  if (again.chunk_shape != array.chunk_shape)
    throw MetadataError{text({"a rectilinear grid whose longest chunks are ", to_string(again.chunk_shape),
                              ", expected its chunk shape, ", to_string(array.chunk_shape)})};
}

}  // namespace detail

struct CreateOptions {
  bool overwrite = false;  ///< erase what is at the path; else it is an error if there is something
};
struct GroupOptions {
  bool overwrite = false;  ///< likewise
  ZarrFormat format = ZarrFormat::v3;
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
