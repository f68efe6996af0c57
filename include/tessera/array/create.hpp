// Makes arrays in a store.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/array/open.hpp>
#include <tessera/metadata/group_metadata.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/key_lock.hpp>

namespace tessera::inline v0 {

/// What a new array shall be. The codecs come from the pipeline.
template <class T>
struct NewArray {
  Extents shape;
  Extents chunk_shape;
  T fill{};
  Members attributes{};
  std::vector<std::optional<std::string>> dimension_names{};  ///< none, or one for each dimension
  ChunkKeyEncoding key_encoding{};
  bool overwrite = false;  ///< erase what is at the path; else it is an error if there is something
};

namespace detail {

// Names of a node, as the core specification allows them ("Node names").
inline void check_node_path(std::string_view path) {
  if (path.empty()) return;
  check(Key{std::string{path}});
  for (auto rest = path;;) {
    auto const slash = rest.find('/');
    auto const name = rest.substr(0, slash);
    if (name.find_first_not_of('.') == name.npos || name.starts_with("__") || name == "zarr.json")
      throw MetadataError{text({"not a node's name: ", describe(std::string{name})})}.in_key(path);
    if (slash == rest.npos) return;
    rest.remove_prefix(slash + 1);
  }
}

template <class S>
std::optional<std::string> node_type(S const& documents, std::string_view path) {
  return read_document(documents, path, [](Reader& reader) {
    return reader.at("node_type").one_of({"array", "group"});
  });
}

// Calls visit(path) for the groups above a node: the root, and every prefix that ends before a '/'.
template <class F>
void for_each_ancestor(std::string_view path, F&& visit) {
  auto end = path.empty() ? path.npos : 0;
  while (end != path.npos) {
    visit(path.substr(0, end));
    end = path.find('/', end + 1);
  }
}

// Copies of the documents below that a group may keep are not true any more, and other programs would believe them.
template <class S>
void drop_consolidated(S const& documents, std::string_view path) {
  [[maybe_unused]] auto const held = lock_of(documents, document_key(path));
  auto document = read_document(documents, path, [](Reader& reader) { return reader.value(); });
  if (document && std::erase_if(*document->template get_if<Members>(),
                                [](Member const& member) { return member.name == "consolidated_metadata"; }) > 0)
    write_document(documents, path, *document);
}

// Every ancestor of a node is a group: made, where there is nothing.
template <class S>
void make_ancestors(S const& documents, std::string_view path) {
  for_each_ancestor(path, [&](std::string_view ancestor) {
    {
      [[maybe_unused]] auto const held = lock_of(documents, document_key(ancestor));
      auto const type = node_type(documents, ancestor);
      if (!type) return write_document(documents, ancestor, to_value(GroupMetadata{}));
      if (*type != "group")
        throw MetadataError{text({"there is an array above \"", path, "\"; arrays have no children"})}
            .in_key(document_key(ancestor).path)
            .in_store(name_of(documents));
    }
    drop_consolidated(documents, ancestor);
  });
}

// What stands at a path goes, its document first: a reader never finds it without its chunks. Without a document too,
// which may be damaged or was erased by a program that ended then: the rest would be taken for what is made there next.
template <class S>
void erase_node(S const& store, std::string_view path, queue_of<S>& on) {
  auto const& documents = metadata_of(store);
  bool const is_there = size(documents, document_key(path), on.host()).has_value();
  if constexpr (!ListableStore<S> || !ListableStore<std::remove_cvref_t<decltype(documents)>>) {
    if (is_there) throw StoreError{"cannot overwrite: the store has no list() to find the old chunks with"};
  } else {
    using Keys = std::vector<Key>;
    auto const below = [&](auto const& one) {
      Keys keys;
      one.list(path, [&](Listed const& entry) { keys.push_back({std::string{entry.path}}); });
      return keys;
    };
    auto const found = below(documents);  // before anything is erased: a store may not be able to say
    auto const chunks = std::same_as<decltype(documents), S const&> ? Keys{} : below(chunks_of(store));
    if (path.empty() && !is_there && found.size() + chunks.size() > 0)  // it may be any folder of the user's
      throw StoreError{"there is no node to overwrite, but other keys; erase them, or what they are part of"};
    documents.erase(document_key(path), on.host());
    for (auto const& key : found) documents.erase(key, on.host());
    for (auto const& key : chunks) chunks_of(store).erase(key, on);
  }
}

// Puts a new document at a path whose groups above are made too. Of several threads that want to, one makes the node.
// `erase` is asked to make room for it, if it shall replace what is there.
template <class D, class Erase>
void write_node(D const& documents, std::string_view path, Value const& document, bool overwrite, Erase&& erase) {
  auto const key = document_key(path);
  auto const json = document_text(document);  // first: nothing is erased or made for what cannot be written
  auto const expect_none = [&] {
    if (!overwrite && node_type(documents, path))
      throw MetadataError{"there is a node already; say overwrite to replace it"};
  };
  expect_none();
  make_ancestors(documents, path);
  [[maybe_unused]] auto const held = lock_of(documents, key);
  expect_none();
  if (overwrite) erase();
  write_text(documents, key, json);
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
  if (array.fill.size() != array.type.size)
    throw MetadataError{text({"a fill value of ", array.fill.size(), " bytes, expected ", array.type.size})};
  checked_size(checked_product(element_count(array.shape, "shape"), array.type.size, "shape"), "shape");
  auto const document = to_value(array);  // and it is one that can be opened again
  Reader reader{document, ""};
  (void)reader.at("zarr_format");
  (void)read_array_metadata(reader);
}

}  // namespace detail

struct CreateOptions {
  bool overwrite = false;  ///< erase what is at the path; else it is an error if there is something
};

/// Makes an array whose type and rank are known at run time, as its metadata says, and groups above it where there is
/// nothing; "" is the root. The codecs named in the metadata must be among those of `Codec`, as in open_any. Throws:
/// MetadataError, if there is something at the path already or this cannot be an array; StoreError.
template <class Codec = BuiltInCodecs, class S, class... On>
auto create_any(S const& store, std::string path, ArrayMetadata metadata, CreateOptions options = {}, On... on) {
  if constexpr (!detail::check_opening<Codec, S, On...>() || !detail::check_writable<S>()) {
    return detail::Refused{};
  } else {
    using P = typename detail::pipeline_over<Codec, S>::type;
    return detail::in_document(store, path, [&] {
      detail::check_node_path(path);
      metadata.codecs = P::from(metadata.codecs).specifications(metadata.type);
      detail::check_new(metadata);
      AnyArray<S, P> array{store, path, std::move(metadata), detail::queue_given<P>(std::move(on)...)};
      detail::write_node(metadata_of(store), path, to_value(array.metadata()), options.overwrite,
                         [&] { detail::erase_node(store, path, queue_in<space_of<S>>(array.queue())); });
      return array;
    });
  }
}

/// Makes an array of T with Rank dimensions. The codecs of `pipeline` are written into its document and are what it is
/// opened with. Throws as create_any does.
template <class T, std::size_t Rank, class P = Pipeline<space::Host, codec::Bytes>, class S, class... On>
auto create_array(S const& store, std::string path, NewArray<T> const& wanted, P const& pipeline = {}, On... on) {
  if constexpr (!detail::check_element<T>()) {
    return detail::Refused{};
  } else if constexpr (!detail::check_opening<P, S, On...>() || !detail::check_writable<S>()) {
    return detail::Refused{};
  } else if constexpr (!detail::PipelineType<P>) {
    static_assert(detail::PipelineType<P>,
                  "tessera: a new array has the codecs of one pipeline: give a Pipeline<space, codecs...>; a Codecs<...> "
                  "is what files to be opened may name");
    return detail::Refused{};
  } else {
    if (wanted.shape.rank() != Rank)
      throw MetadataError{text({"a shape of ", wanted.shape.rank(), " dimensions, expected ", Rank})}
          .in_key(document_key(path).path)
          .in_store(name_of(metadata_of(store)));
    std::vector<std::byte> fill(sizeof(T));
    std::memcpy(fill.data(), &wanted.fill, sizeof(T));
    auto array = create_any<P>(
        store, path,
        ArrayMetadata{wanted.shape, data_type_of<T>(), wanted.chunk_shape, wanted.key_encoding, std::move(fill),
                      pipeline.specifications(data_type_of<T>()), wanted.attributes, wanted.dimension_names, Members{}},
        CreateOptions{wanted.overwrite}, std::move(on)...);
    return Array<T, Rank, S, P>{std::move(array)};
  }
}

}  // namespace tessera::inline v0
