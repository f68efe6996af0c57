// open_array, open_any, open_group: open nodes of a store, of a folder, or below a group.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <tessera/array/array.hpp>
#include <tessera/array/detail/invalid_call.hpp>
#include <tessera/metadata/detail/consolidated_documents.hpp>
#include <tessera/metadata/detail/missing_node.hpp>
#include <tessera/node/detail/folder.hpp>
#include <tessera/node/detail/opening.hpp>
#include <tessera/node/group.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 {

/// Opens the array at `path` ("" is the root), whatever its type and rank are. Otherwise like open_array. Throws: as
/// open_array.
template <class Codec = BuiltInCodecs, class S, class... On>
auto open_any(S const& store, std::string path = "", On... on) {
  if constexpr (!detail::check_opening<Codec, S, On...>()) {
    return detail::InvalidCall{};
  } else {
    using P = typename detail::pipeline_over<Codec, S>::type;
    return AnyArray<S, P>{store, detail::read_array(store, path), detail::queue_given<P>(std::move(on)...)};
  }
}

/// Opens the array at `path` ("" is the root). Its codecs are those of the list `Codec`, by default the ones that need
/// no library, or exactly those of a Pipeline. The queue `on` does the array's work. Without a queue, the threads that
/// all default queues of the process share do it, one for each processor. They start at the first read that can use
/// them. Throws: NodeNotFound, if there is no array; MetadataError naming document and member; StoreError.
template <class T, std::size_t Rank, class Codec = detail::codecs_for<T, BuiltInCodecs>, class S, class... On>
auto open_array(S const& store, std::string path = "", On... on) {
  if constexpr (!detail::check_element<T>()) {
    return detail::InvalidCall<T>{};
  } else if constexpr (!detail::check_opening<Codec, S, On...>()) {
    return detail::InvalidCall<T>{};
  } else if constexpr (!detail::check_elements_space<T, Codec, S>()) {
    return detail::InvalidCall<T>{};
  } else {
    return detail::as_typed<T, Rank>(open_any<Codec>(store, path, std::move(on)...));
  }
}

/// Does not compile; the message says how codecs are passed.
template <class T, std::size_t Rank, class First, class Second, class... Rest, class S, class... On>
requires(Codec<Second>) auto open_array(S const&, std::string = "", On...) {
  static_assert(sizeof(T) == 0,
                "tessera: pass codecs as a Pipeline<space, codecs...>, exactly these, or, to open an array, as a "
                "Codecs<codecs...>, those that the file may name");
  return detail::InvalidCall<T>{};
}

/// Does not compile; the message says that the number of dimensions is missing.
template <class T, class... Rest, class S, class... On>
auto open_array(S const&, std::string = "", On...) {
  static_assert(sizeof(T) == 0,
                "tessera: open_array needs the number of dimensions: open_array<float, 3>(store, path); if only the "
                "file has it, use open_any(store, path) and visit of "
                "<tessera/array/visit.hpp>");
  return detail::InvalidCall<T>{};
}

/// How open_group treats consolidated metadata.
enum class Consolidated {
  use,     ///< use the copies, if the group has them; they may be stale
  ignore,  ///< open each node from its own documents
  require  ///< as `use`; a group without copies is an error
};

/// Options of open_group.
struct OpenOptions {
  Consolidated consolidated = Consolidated::use;  ///< use consolidated metadata, ignore it, or require it
  /// The group's format, if known: keys of the other format are then not requested. nullopt: detected; v3, if the group
  /// has both.
  std::optional<ZarrFormat> format{};
};

namespace detail {

struct OpenedGroup {
  GroupMetadata metadata;
  SharedCopies copies;
};

// Copies first: in Zarr v2 they include the group's own documents, which then need no request.
template <class D>
[[gnu::noinline, gnu::cold]] std::optional<OpenedGroup> read_v2_group(D const& documents, std::string const& path,
                                                                      Consolidated consolidated) {
  OpenedGroup opened;
  auto copies = consolidated == Consolidated::ignore ? std::nullopt : read_value(documents, v2_copies_key(path));
  if (copies) opened.copies = v2_copies(name_of(documents), path, *copies);
  auto const key = document_key(path, ZarrFormat::v2, NodeType::group);
  auto document = opened.copies ? read_value(*opened.copies, key) : std::nullopt;
  bool const is_copied = document.has_value();
  if (!document) document = read_value(documents, key);
  if (!document) return std::nullopt;
  auto attributes = is_copied ? read_v2_attributes(*opened.copies, path) : read_v2_attributes(documents, path);
  in_document(documents, key, [&] {
    auto const lowered = lower_v2_group(*document, std::move(attributes));
    ObjectReader reader{lowered, ""};
    (void)reader.at("zarr_format");
    opened.metadata = read_group_metadata(reader);
  });
  opened.metadata.has_consolidated = opened.copies != nullptr;
  return opened;
}

// Ignores empty copies: the group may have been consolidated before any node was made below it.
template <class D>
std::optional<OpenedGroup> read_group(D const& documents, std::string const& path, OpenOptions options) {
  if (options.format == ZarrFormat::v2) return read_v2_group(documents, path, options.consolidated);
  auto const key = document_key(path);
  auto document = read_v3_document(documents, key);
  if (!document && options.format) return std::nullopt;
  if (!document) return read_v2_group(documents, path, options.consolidated);
  OpenedGroup opened{read_found(documents, *document, key, read_group_metadata), nullptr};
  if (opened.metadata.has_consolidated && options.consolidated != Consolidated::ignore)
    opened.copies = take_v3_copies(name_of(documents), path, *document);
  if (opened.copies && opened.copies->all().empty()) opened.copies = nullptr;
  return opened;
}

template <class S>
Group<S> opened_group(S const& store, std::string path, OpenOptions options) {
  auto const where = document_key(path, options.format.value_or(ZarrFormat::v3), NodeType::group);
  auto opened = in_document(store, where, [&] {
    auto const& documents = metadata_of(store);
    auto found = found_in_either(documents, path, [&](auto const& in) { return read_group(in, path, options); });
    if (!found) throw missing_node(documents, path, "group");
    if (!found->copies && options.consolidated == Consolidated::require)
      throw MetadataError{
          "the group has no consolidated metadata, which this program requires; consolidate(store, path) "
          "makes it"};
    return *std::move(found);
  });
  return {store, std::move(path), std::move(opened.metadata), std::move(opened.copies)};
}

// Without a request, if the copies have the document.
template <class S>
std::shared_ptr<SharedArray> read_array(Group<S> const& group, std::string const& path) {
  if (auto const& copies = group.consolidated())
    if (auto metadata = read_documents(*copies, path, read_array_metadata, NodeType::array))
      return std::make_shared<SharedArray>(std::string{path}, *std::move(metadata));
  return read_array(group.store(), path);
}

}  // namespace detail

/// Opens the group at `path` ("" is the root). The store may be a folder's name, as in create_group:
/// `open_group("a.zarr")` opens a LocalStore<HostBuffer>. With consolidated metadata, one request reads all documents
/// below. For Zarr v2, `zarr.json` is requested first, unless OpenOptions::format says v2. Throws: NodeNotFound, if
/// there is no group; MetadataError; StoreError.
template <class S>
auto open_group(S const& given, std::string path = "", OpenOptions options = {}) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_store<Store>() || !detail::check_metadata_store<Store>())
    return detail::InvalidGroup{};
  else
    return detail::opened_group(detail::store_of(given), std::move(path), options);
}

/// As above, with a group in place of the store; `path` begins at the group:
/// `open_array<float, 3>(group, "t1")` is `open_array<float, 3>(group.store(), group / "t1")`, and so on.
template <class Codec = BuiltInCodecs, class S, class... On>
auto open_any(Group<S> const& group, std::string path, On... on) {
  if constexpr (!detail::check_opening<Codec, S, On...>()) {
    return detail::InvalidCall{};
  } else {
    using P = typename detail::pipeline_over<Codec, S>::type;
    return AnyArray<S, P>{group.store(), detail::read_array(group, group / path),
                          detail::queue_given<P>(std::move(on)...)};
  }
}
/// An array of T with Rank dimensions. Throws: as open_array of a store.
template <class T, std::size_t Rank, class Codec = detail::codecs_for<T, BuiltInCodecs>, class S, class... On>
auto open_array(Group<S> const& group, std::string path, On... on) {
  if constexpr (!detail::check_element<T>())
    return detail::InvalidCall<T>{};
  else if constexpr (!detail::check_opening<Codec, S, On...>())
    return detail::InvalidCall<T>{};
  else if constexpr (!detail::check_elements_space<T, Codec, S>())
    return detail::InvalidCall<T>{};
  else
    return detail::as_typed<T, Rank>(open_any<Codec>(group, std::move(path), std::move(on)...));
}
template <class S>
auto open_group(Group<S> const& group, std::string path) {
  auto below = group / path;
  if (auto const& copies = group.consolidated())
    if (auto metadata = detail::read_documents(*copies, below, read_group_metadata, NodeType::group))
      return Group<S>{group.store(), std::move(below), *std::move(metadata), copies};
  return open_group(group.store(), std::move(below));
}

/// As above, with the name of a folder in place of the store: `open_array<float, 3>("data.zarr", "a")` opens a
/// LocalStore<HostBuffer>.
template <class Codec = BuiltInCodecs, detail::FolderName S, class... On>
auto open_any(S const& folder, std::string path = "", On... on) {
  return open_any<Codec>(detail::store_of(folder), std::move(path), std::move(on)...);
}
template <class T, std::size_t Rank, class Codec = detail::codecs_for<T, BuiltInCodecs>, detail::FolderName S,
          class... On>
auto open_array(S const& folder, std::string path = "", On... on) {
  return open_array<T, Rank, Codec>(detail::store_of(folder), std::move(path), std::move(on)...);
}

}}  // namespace tessera::v0
