// Group: its attributes and the nodes below it (core specification, "Group metadata", "Hierarchy").
#pragma once
#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/metadata/attributes.hpp>
#include <tessera/metadata/detail/consolidated_documents.hpp>
#include <tessera/node/detail/folder.hpp>
#include <tessera/node/detail/invalid_group.hpp>
#include <tessera/node/detail/opening.hpp>
#include <tessera/node/detail/write_node.hpp>

namespace tessera { inline namespace v0 {

/// An array or a group in a hierarchy.
struct Node {
  std::string name;  ///< the last part of its path
  std::string path;  ///< from the store's root: for open_array and open_group
  NodeType type;     ///< array or group
};

/// An array or a group in a group: `for (auto const& [name, array] : group.arrays())`.
template <class S, class P>
struct NamedArray {
  std::string name;
  AnyArray<S, P> array;
};
template <class S>
class Group;
namespace detail {

TESSERA_DECL void sort_names(std::vector<std::string>& names);

}  // namespace detail
/// A group in a group: `for (auto const& [name, group] : parent.groups())`.
template <class S>
struct NamedGroup {
  std::string name;
  Group<S> group;
};

/// A group, with its attributes as they were when it was opened. Copies of the object are independent. If the group was
/// opened with consolidated metadata, listing and opening nodes below it uses that metadata, without another request; a
/// node that is missing there is looked up in the store. To see later changes, open the group again.
template <class S>
class Group {
 public:
  using store_type = S;

  Group(S store, std::string path, GroupMetadata metadata, detail::SharedCopies copies = {})
      : store_{std::move(store)}, path_{std::move(path)}, metadata_{std::move(metadata)}, copies_{std::move(copies)} {}

  S const& store() const { return store_; }
  std::string const& path() const { return path_; }  ///< from the store's root, whose path is ""
  GroupMetadata const& metadata() const { return metadata_; }
  /// The attributes. On a temporary group this returns a copy, which is safe to loop over. Throws: MetadataError, if
  /// the group is Zarr v2 and `.zattrs` is damaged.
  Members const& attributes() const& {
    detail::expect_attributes(metadata_.broken_attributes);
    return metadata_.attributes;
  }
  Members attributes() && { return static_cast<Group const&>(*this).attributes(); }

  /// Replaces the attributes, in the store and here. Throws: StoreError, MetadataError.
  void set_attributes(Members attributes) {
    tessera::set_attributes(store_, path_, attributes);
    metadata_.attributes = std::move(attributes);
    metadata_.broken_attributes.clear();
  }
  /// Replaces or adds the named attributes; the others stay. attributes() then returns what is stored. Throws:
  /// StoreError, MetadataError.
  void merge_attributes(Members const& attributes) {
    metadata_.attributes = tessera::merge_attributes(store_, path_, attributes);
  }

  /// The path of a node below: `erase_node(group.store(), group / "t1")`.
  friend std::string operator/(Group const& group, std::string_view name) { return (group.path_ / name).path; }

  /// The arrays and groups one level below, by name. A folder without a document is neither. Throws: MetadataError, if
  /// a document below is damaged; StoreError.
  std::vector<Node> children() const { return children_of(path_); }

  /// The arrays one level below, by name, each opened as by open_any: `group.arrays<AllCodecs>()`, which is
  /// `arrays(group)` of tessera/all.hpp. All of them use the queue `on`, or one new queue. Each document is read once.
  /// Throws: as children(); MetadataError, if an array has a codec that is not in the list.
  template <class Codec = BuiltInCodecs, class... On>
  auto arrays(On... on) const {
    if constexpr (!detail::check_opening<Codec, S, On...>()) {
      return std::vector<detail::InvalidNamedArray>{};
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
  /// The groups one level below, by name. Each document is read once. Throws: as children().
  std::vector<NamedGroup<S>> groups() const {
    std::vector<NamedGroup<S>> found;
    for_each_below(path_, [&](std::string name, std::string path) {
      if (auto metadata = read_node(path, NodeType::group, read_group_metadata))
        found.push_back({std::move(name), Group{store_, path, *std::move(metadata), copies_}});
    });
    return found;
  }

  /// The copies from which documents below it are read; null: they are read from the store.
  detail::SharedCopies const& consolidated() const { return copies_; }

  /// Calls visit(Node const&) for everything below, parents before their children. Throws: as children().
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
      list_directory(documents, path, [&](Listed const& entry) {
        if (!entry.is_prefix && entry.link != Link::to_keys) return;
        std::string name{entry.path.substr(entry.path.rfind('/') + 1)};
        if (!name.starts_with("__")) names.push_back(std::move(name));  // those are not nodes
      });
    });
    detail::sort_names(names);
    for (auto& name : names) {
      auto below = (path / name).path;
      f(std::move(name), std::move(below));
    }
  }

  template <class Documents>
  static void list_directory(Documents const& documents, std::string const& path, Visitor visit) {
    if constexpr (requires { documents.list_directory(path, visit); })
      documents.list_directory(path, visit);
    else
      throw StoreError{
          "this store cannot be listed, and the group has no consolidated metadata that lists what is below it"}
          .in_store(name_of(documents));
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

  // Reads a node's document, if the node has that type.
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

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/node/detail/group.ipp>
#endif
