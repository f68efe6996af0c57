// Makes arrays and groups in a store.
#pragma once
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/array/open.hpp>
#include <tessera/metadata/group_metadata.hpp>

namespace tessera::inline v0 {

/// What a new array shall be. The codecs come from the pipeline.
template <Element T>
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
      throw MetadataError{"not a node's name: " + describe(std::string{name})}.in_key(path);
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

// Every ancestor of a node is a group: made, where there is nothing.
template <class S>
void make_ancestors(S const& documents, std::string_view path) {
  // "" is the root, above everything but itself; then every prefix that ends before a '/'.
  auto end = path.empty() ? path.npos : 0;
  while (end != path.npos) {
    auto const ancestor = path.substr(0, end);
    auto const type = node_type(documents, ancestor);
    if (!type)
      write_document(documents, ancestor, to_value(GroupMetadata{}));
    else if (*type != "group")
      throw MetadataError{"there is an array above " + describe(std::string{path}) + "; arrays have no children"}
          .in_key(document_key(ancestor).path)
          .in_store(name_of(documents));
    end = path.find('/', end + 1);
  }
}

// What stands at a path goes, its document first: a reader never finds it without its chunks.
template <class S>
void erase_node(S const& store, std::string_view path) {
  Queue<space::Host> host;
  metadata_of(store).erase(document_key(path), host);
  auto const erase_below = [&](auto const& one, auto& on) {
    std::vector<std::string> keys;
    one.list(path, [&](Listed const& entry) { keys.emplace_back(entry.path); });
    for (auto& key : keys) one.erase(Key{std::move(key)}, on);
  };
  if constexpr (ListableStore<std::remove_cvref_t<decltype(metadata_of(store))>>) erase_below(metadata_of(store), host);
  if constexpr (ListableStore<S> && std::same_as<space_of<S>, space::Host>) erase_below(store, host);
}

}  // namespace detail

/// Makes an array at `path` ("" is the root), and groups above it where there is nothing. The pipeline's codecs are
/// written into its document and are what it is opened with: `Pipeline{...}` or an AnyPipeline. Throws: MetadataError,
/// if there is something at the path already or the pipeline cannot take such chunks; StoreError.
template <Element T, std::size_t Rank, class P = Pipeline<space::Host, codec::Bytes>, class S>
Array<T, Rank, S, P> create_array(S store, std::string path, NewArray<T> const& wanted, P const& pipeline = {},
                                  typename P::queue_type on = detail::queue_given<P>()) {
  auto const& documents = metadata_of(store);
  return detail::in_document(store, path, [&] {
    detail::check_node_path(path);
    if (wanted.shape.rank() != Rank || wanted.chunk_shape.rank() != Rank)
      throw MetadataError{"shape " + to_string(wanted.shape) + " and chunk shape " + to_string(wanted.chunk_shape) +
                          ": expected " + std::to_string(Rank) + " dimensions"};
    if (!wanted.dimension_names.empty() && wanted.dimension_names.size() != Rank)
      throw MetadataError{"found " + std::to_string(wanted.dimension_names.size()) + " dimension names, expected " +
                          std::to_string(Rank)};
    for (auto n : wanted.chunk_shape)
      if (n == 0)
        throw MetadataError{"chunk shape " + to_string(wanted.chunk_shape) + ": expected numbers of at least 1"};
    std::vector<std::byte> fill(sizeof(T));
    std::memcpy(fill.data(), &wanted.fill, sizeof(T));
    ArrayMetadata metadata{wanted.shape,        data_type_of<T>(),      wanted.chunk_shape,
                           wanted.key_encoding, std::move(fill),        pipeline.specifications(),
                           wanted.attributes,   wanted.dimension_names, {}};
    checked_size(checked_product(element_count(wanted.shape, "shape"), sizeof(T), "shape"), "shape");
    AnyArray<S, P> array{store, path, std::move(metadata), std::move(on)};  // first: it says whether this can be
    if (detail::node_type(documents, path)) {
      if (!wanted.overwrite) throw MetadataError{"there is a node already"};
      detail::erase_node(store, path);
    }
    detail::make_ancestors(documents, path);
    write_document(documents, path, to_value(array.metadata()));
    return Array<T, Rank, S, P>{std::move(array)};
  });
}

/// Makes a group at `path`, and groups above it where there is nothing. Throws: MetadataError, if there is something at
/// the path already; StoreError.
template <class S>
void create_group(S const& store, std::string const& path, Members attributes = {}) {
  auto const& documents = metadata_of(store);
  detail::in_document(store, path, [&] {
    detail::check_node_path(path);
    if (detail::node_type(documents, path)) throw MetadataError{"there is a node already"};
    detail::make_ancestors(documents, path);
    write_document(documents, path, to_value(GroupMetadata{std::move(attributes), {}}));
  });
}

}  // namespace tessera::inline v0
