// Groups: what is below them, and what their documents say (core specification, "Group metadata", "Hierarchy").
#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/metadata/attributes.hpp>
#include <tessera/metadata/consolidated_documents.hpp>
#include <tessera/metadata/missing_node.hpp>
#include <tessera/node/create.hpp>
#include <tessera/node/erase.hpp>
#include <tessera/node/folder.hpp>
#include <tessera/node/move.hpp>
#include <tessera/node/open.hpp>

namespace tessera { inline namespace v0 {

/// An array or a group in a hierarchy.
struct Node {
  std::string name;  ///< the last name of its path
  std::string path;  ///< from the store's root: what open_array and open_group take
  NodeType type;
};

/// An array or a group in a group: `for (auto const& [name, array] : group.arrays())`.
template <class S, class P>
struct NamedArray {
  std::string name;
  AnyArray<S, P> array;
};
template <class S>
class Group;
template <class S>
struct NamedGroup {
  std::string name;
  Group<S> group;
};

/// What its document said when it was opened. A copy is a group of its own over the same store. If it was opened with
/// consolidated metadata, all below it is as the copies said then, listed and opened without another request; a node
/// that they do not have is looked for in the store. Open the group again to see what has changed.
template <class S>
class Group {
 public:
  using store_type = S;

  Group(S store, std::string path, GroupMetadata metadata, detail::SharedCopies copies = {})
      : store_{std::move(store)}, path_{std::move(path)}, metadata_{std::move(metadata)}, copies_{std::move(copies)} {}

  S const& store() const { return store_; }
  std::string const& path() const { return path_; }  ///< from the store's root, whose own is ""
  GroupMetadata const& metadata() const { return metadata_; }
  /// Of a temporary handle it is a copy, which you may loop over.
  Members const& attributes() const& { return metadata_.attributes; }
  Members attributes() && { return std::move(metadata_.attributes); }

  /// Replaces them, in the store and here. Throws: StoreError, MetadataError.
  void set_attributes(Members attributes) {
    tessera::set_attributes(store_, path_, attributes);
    metadata_.attributes = std::move(attributes);
  }
  /// Replaces or adds the named ones; the others stay. The group then shows what the store has. Throws: likewise.
  void merge_attributes(Members const& attributes) {
    metadata_.attributes = tessera::merge_attributes(store_, path_, attributes);
  }

  /// The path of something below: `erase_node(group.store(), group / "t1")`.
  friend std::string operator/(Group const& group, std::string_view name) { return (group.path_ / name).path; }

  /// The arrays and groups one level below, by name. A folder without a document is neither. Throws: MetadataError, if
  /// a document below is damaged; StoreError.
  std::vector<Node> children() const { return children_of(path_); }

  /// The arrays one level below, by name, each opened as open_any opens it: `group.arrays<AllCodecs>()`, which is
  /// `arrays(group)` of tessera/all.hpp. They share a queue: `on`, or one of their own. Each document is read once.
  /// Throws: as children() does; MetadataError, if an array has a codec that is not in the list.
  template <class Codec = BuiltInCodecs, class... On>
  auto arrays(On... on) const {
    if constexpr (!detail::check_opening<Codec, S, On...>()) {
      return std::vector<std::pair<std::string, detail::InvalidCall>>{};
    } else {
      using P = typename detail::pipeline_over<Codec, S>::type;
      auto const queue = detail::queue_given<P>(std::move(on)...);
      std::vector<NamedArray<S, P>> found;
      for_each_below(path_, [&](std::string name, std::string path) {
        auto metadata = read_node(path, NodeType::array, read_array_metadata);
        if (!metadata) return;
        detail::in_document(store_, document_key(path, metadata->format), [&] {
          found.push_back({std::move(name), AnyArray<S, P>{store_, path, *std::move(metadata), queue}});
        });
      });
      return found;
    }
  }
  /// The groups one level below, by name. Each document is read once. Throws: as children() does.
  std::vector<NamedGroup<S>> groups() const {
    std::vector<NamedGroup<S>> found;
    for_each_below(path_, [&](std::string name, std::string path) {
      if (auto metadata = read_node(path, NodeType::group, read_group_metadata))
        found.push_back({std::move(name), Group{store_, path, *std::move(metadata), copies_}});
    });
    return found;
  }

  /// Where documents below it are read; null: in the store.
  detail::SharedCopies const& consolidated() const { return copies_; }

  /// Calls visit(Node const&) for everything below, parents before their children. Throws as children() does.
  template <class F>
  void walk(F&& visit) const {
    auto open = children();
    std::ranges::reverse(open);
    while (!open.empty()) {  // no recursion: groups may be nested without bound
      auto const node = std::move(open.back());
      open.pop_back();
      visit(node);
      if (node.type != NodeType::group) continue;
      auto below = children_of(node.path);
      std::move(below.rbegin(), below.rend(), std::back_inserter(open));
    }
  }

 private:
  // Calls f(name, path), by name, for each folder that may be a node's.
  template <class F>
  void for_each_below(std::string const& path, F&& f) const {
    std::vector<std::string> names;
    in_documents([&](auto const& documents) {
      documents.list_directory(path, [&](Listed const& entry) {
        if (!entry.is_prefix && entry.link != Link::to_keys) return;
        std::string name{entry.path.substr(entry.path.rfind('/') + 1)};
        if (!name.starts_with("__")) names.push_back(std::move(name));  // those are other data than nodes
      });
    });
    std::ranges::sort(names);
    for (auto& name : names) {
      auto below = (path / name).path;
      f(std::move(name), std::move(below));
    }
  }

  std::vector<Node> children_of(std::string const& path) const {
    std::vector<Node> nodes;
    for_each_below(path, [&](std::string name, std::string below) {
      std::optional<std::string> type;
      in_documents([&](auto const& documents) { type = detail::node_type(documents, below); });
      if (type)
        nodes.push_back({std::move(name), std::move(below), *type == "array" ? NodeType::array : NodeType::group});
    });
    return nodes;
  }

  // What a node's document says, if it is of that type.
  template <class Metadata>
  std::optional<Metadata> read_node(std::string const& path, NodeType type, Metadata (*read)(ObjectReader&)) const {
    auto const name = type == NodeType::array ? "array" : "group";
    std::optional<std::optional<Metadata>> found;
    in_documents([&](auto const& documents) {
      found = detail::read_documents(
          documents, path,
          [&](ObjectReader& reader) -> std::optional<Metadata> {
            if (reader.at("node_type").one_of({"array", "group"}) != name) return std::nullopt;
            return read(reader);
          },
          type);
    });
    return found ? *std::move(found) : std::nullopt;
  }

  template <class F>
  void in_documents(F&& f) const {
    if (copies_)
      f(*copies_);
    else
      f(metadata_of(store_));
  }

  S store_;
  std::string path_;
  GroupMetadata metadata_;
  detail::SharedCopies copies_;
};

struct OpenOptions {
  Consolidated consolidated = Consolidated::use;
  /// Of the group, if the program knows it: keys of the other format are then not asked for. nullopt: v3, if it is of
  /// both.
  std::optional<ZarrFormat> format{};
};

namespace detail {

struct OpenedGroup {
  GroupMetadata metadata;
  SharedCopies copies;
};

// Copies are asked for first: those of Zarr v2 have the group's own documents among them, which then are not asked for.
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

// A group whose copies are of nothing may have been consolidated before there was anything below it.
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
    auto found = read_group(documents, path, options);
    if (!found) throw missing_node(documents, path, "group");
    if (!found->copies && options.consolidated == Consolidated::require)
      throw MetadataError{
          "the group has no consolidated metadata, which this program requires; consolidate(store, path) "
          "makes it"};
    return *std::move(found);
  });
  return {store, std::move(path), std::move(opened.metadata), std::move(opened.copies)};
}

// Without a request, if the copies have it.
template <class S>
std::shared_ptr<SharedArray> read_array(Group<S> const& group, std::string const& path) {
  if (auto const& copies = group.consolidated())
    if (auto metadata = read_documents(*copies, path, read_array_metadata, NodeType::array))
      return std::make_shared<SharedArray>(std::string{path}, *std::move(metadata));
  return read_array(group.store(), path);
}

}  // namespace detail

/// Opens the group at `path` ("" is the root). The store may be a folder's name, as of create_group too:
/// `open_group("a.zarr")` is that of a LocalStore<HostBuffer>. Consolidated metadata is used where the group has it:
/// all documents below then come with one request. Of Zarr v2 `zarr.json` is asked for before, unless
/// OpenOptions::format says that it is v2. Throws: MetadataError, if there is no group; StoreError.
template <class S>
auto open_group(S const& given, std::string path = "", OpenOptions options = {}) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_store<Store>() || !detail::check_metadata_store<Store>())
    return detail::InvalidCall{};
  else
    return detail::opened_group(detail::store_of(given), std::move(path), options);
}

namespace detail {

template <class S>
auto make_group(S const& store, std::string path, Members attributes, GroupOptions options, auto&& make_room) {
  GroupMetadata metadata{std::move(attributes), {}};
  metadata.format = options.format;
  in_document(store, document_key(path, options.format, NodeType::group), [&] {
    check_node_path(path);
    write_node(metadata_of(store), path, new_documents(path, metadata), options.format, options.overwrite, make_room);
  });
  return Group<S>{store, std::move(path), std::move(metadata)};
}

}  // namespace detail

/// Makes a group at `path`, and the missing groups above it. Throws: MetadataError, if there is something at the path
/// already; StoreError.
template <class S>
auto create_group(S const& store, std::string path = "", Members attributes = {}) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_store<Store>() || !detail::check_documents<Store>())
    return detail::InvalidCall{};
  else
    return detail::make_group(detail::store_of(store), std::move(path), std::move(attributes), {}, [] {});
}
/// The same, or replaces what is at the path: `create_group(store, "scan", {}, {.overwrite = true})` erases it and
/// everything below it, as erase_node does. `{.format = ZarrFormat::v2}` makes a group of Zarr v2.
template <class S>
auto create_group(S const& given, std::string path, Members attributes, GroupOptions options) {
  using Store = detail::store_of_t<S>;
  if constexpr (!detail::check_store<Store>() || !detail::check_metadata_store<Store>() ||
                !detail::check_writable<Store>()) {
    return detail::InvalidCall{};
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

/// What is below a group, by its path from there: `open_array<float, 3>(group, "t1")` is
/// `open_array<float, 3>(group.store(), group / "t1")`, and so are the others.
template <class Codec = BuiltInCodecs, class S, class... On>
auto open_any(Group<S> const& group, std::string path, On... on) {
  if constexpr (!detail::check_opening<Codec, S, On...>())
    return detail::InvalidCall{};
  else
    return detail::open_read<Codec>(group.store(), detail::read_array(group, group / path), std::move(on)...);
}
template <class T, std::size_t Rank, class Codec = detail::codecs_for<T, BuiltInCodecs>, class S, class... On>
auto open_array(Group<S> const& group, std::string path, On... on) {
  if constexpr (!detail::check_element<T>())
    return detail::InvalidCall{};
  else if constexpr (!detail::check_opening<Codec, S, On...>())
    return detail::InvalidCall{};
  else if constexpr (!detail::check_elements_space<T, Codec, S>())
    return detail::InvalidCall{};
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
template <class T, std::size_t Rank, class P = detail::usual_pipeline<T>, class S, class... On>
auto create_array(Group<S> const& group, std::string path, NewArray<T> const& wanted, P const& pipeline = {},
                  On... on) {
  return create_array<T, Rank>(group.store(), group / path, wanted, pipeline, std::move(on)...);
}
template <class S>
auto create_group(Group<S> const& group, std::string path, Members attributes = {}, GroupOptions options = {}) {
  return create_group(group.store(), group / path, std::move(attributes), options);
}

}}  // namespace tessera::v0
