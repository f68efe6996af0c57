// open_icechunk, open_icechunk_at: a snapshot of an Icechunk repository as a store, of formats 1 and 2, for reading.
// Needs libzstd (BSD-3-Clause): link tessera::zstd.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/error.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/prefix_store.hpp>
#include <tessera/store/schemes.hpp>
#include <tessera/with/detail/flat_table.hpp>
#include <tessera/with/detail/icechunk/icechunk_file.hpp>
#include <tessera/with/references.hpp>

namespace tessera { inline namespace v0 {

/// Which snapshot of a repository: that of a tag, one by its id, or else the last of a branch.
struct IcechunkOptions {
  std::string branch = "main";  ///< unless one of the others is given
  std::string tag{};            ///< empty: none
  std::string snapshot{};       ///< "VY76P925PRY57WFEK410"; empty: none
};

namespace detail {

class Icechunk {
  using Bytes = std::span<std::byte const>;
  static constexpr std::size_t id_bytes = 12, node_bytes = 8;

 public:
  Icechunk(AnyStore<HostBuffer> const& store, IcechunkOptions const& options) : store_{store} {
    try {
      add_snapshot(options.snapshot.empty() ? find_snapshot(options) : options.snapshot);
    } catch (Error& error) {
      error.in_store(store.name());
      throw;
    }
  }
  References take() { return std::move(found_); }

 private:
  template <class F>
  void in_file(std::string const& key, IcechunkFile type, F&& f) const try {
    auto const file = get_value(store_, {key}, on_);
    if (!file) throw StoreError{"the repository's file is missing"};
    auto const content = icechunk_file({file->view().data, file->view().size}, type);
    left_ = 16 * std::uint64_t{content.size()};  // addresses may be compressed
    f(FlatTable::root(content));
  } catch (Error& error) {
    error.in_key(key);
    throw;
  }
  template <class T>
  static T required(std::optional<T> value) {
    if (!value) throw MetadataError{"a damaged table: a required field is missing"};
    return *std::move(value);
  }

  // Of what is kept or walked. Tables that share their bytes would take memory or time out of proportion to the file.
  void count(std::uint64_t bytes) const {
    if (bytes > left_) throw MetadataError{"a damaged file: its tables have many times its bytes"};
    left_ -= bytes;
  }

  // Format 2 has all branches and tags in one file, format 1 has a file for each.
  std::string find_snapshot(IcechunkOptions const& options) const {
    auto const& name = options.tag.empty() ? options.branch : options.tag;
    auto const what = to_text({options.tag.empty() ? "branch " : "tag ", describe(name)});
    std::string id;
    auto const refuse = [&] { throw MetadataError{"the repository has no " + what}; };
    if (tessera::value_size(store_, {"repo"}, on_)) {
      in_file("repo", IcechunkFile::repository, [&](FlatTable const& repo) {
        std::vector<std::string> ids;
        repo.each(4, [&](FlatTable const& one) { ids.push_back(icechunk_name(required(one.structure(0, id_bytes)))); });
        repo.each(options.tag.empty() ? 2 : 1, [&](FlatTable const& ref) {
          if (ref.string(0) != name) return;
          auto const number = ref.get<std::uint32_t>(1);
          if (number >= ids.size()) throw MetadataError{to_text({what, " names a snapshot that is not there"})};
          id = ids[number];
        });
      });
      if (id.empty()) refuse();
      return id;
    }
    auto const folder = to_text({"refs/", options.tag.empty() ? "branch." : "tag.", name, "/"});
    if (!is_key(folder + "ref.json")) refuse();
    auto const ref = get_value(store_, {folder + "ref.json"}, on_);
    bool const is_deleted = !options.tag.empty() && tessera::value_size(store_, {folder + "ref.json.deleted"}, on_);
    if (!ref || is_deleted) refuse();
    try {
      auto const json = parse_json({reinterpret_cast<char const*>(ref->view().data), ref->view().size});
      return ObjectReader{json, ""}.at("snapshot").string();
    } catch (Error& error) {
      error.in_key(folder + "ref.json");
      throw;
    }
  }

  void add_snapshot(std::string const& id) {
    std::map<std::string, std::string> nodes;  // arrays, by their ids: their paths
    std::set<std::string> manifests;
    if (!is_key("snapshots/" + id))
      throw MetadataError{to_text({"found the snapshot ", describe(id), ", expected an id"})};
    in_file("snapshots/" + id, IcechunkFile::snapshot, [&](FlatTable const& snapshot) {
      snapshot.each(2, [&](FlatTable const& node) {
        std::string path{required(node.string(1))};
        path.erase(0, path.find_first_not_of('/'));
        auto const document = required(node.string(2));
        count(path.size() + document.size());
        found_.add(path / "zarr.json", {.bytes = std::string{document}});
        constexpr std::uint8_t array = 1;
        if (node.get<std::uint8_t>(3) != array) return;
        nodes[text(required(node.structure(0, node_bytes)))] = path;
        required(node.table(4)).each(2, [&](FlatTable const& manifest) {
          count(id_bytes);
          manifests.insert(icechunk_name(required(manifest.structure(0, id_bytes))));
        });
      });
    });
    for (auto const& manifest : manifests)
      in_file("manifests/" + manifest, IcechunkFile::manifest, [&](FlatTable const& one) { add_manifest(one, nodes); });
  }

  void add_manifest(FlatTable const& manifest, std::map<std::string, std::string> const& nodes) {
    auto const dictionary = manifest.vector(2, 1).value_or(Bytes{});
    manifest.each(1, [&](FlatTable const& array) {
      auto const node = nodes.find(text(required(array.structure(0, node_bytes))));
      if (node == nodes.end()) return;  // of another snapshot
      array.each(1, [&](FlatTable const& chunk) {
        constexpr std::size_t most = 10'000'000;
        if (++chunks_ > most) throw MetadataError{to_text({"found more than ", most, " chunks in a snapshot"})};
        auto const index = required(chunk.vector(0, 4));
        count(index.size());
        auto key = (node->second / "c").path;
        for (std::size_t i = 0; i < index.size(); i += 4)
          key += to_text({"/", FlatTable::number<std::uint32_t>(index, i)});
        found_.add({std::move(key)}, reference(chunk, dictionary));
      });
    });
  }

  Reference reference(FlatTable const& chunk, Bytes dictionary) {
    constexpr std::size_t longest = std::size_t{1} << 16;
    if (auto const inside = chunk.string(1)) return count(inside->size()), Reference{.bytes = std::string{*inside}};
    Reference one{.offset = chunk.get<std::uint64_t>(2), .size = chunk.get<std::uint64_t>(3)};
    if (*one.size > ~one.offset) throw MetadataError{"found a chunk whose offset and size exceed 64 bits"};
    if (auto const id = chunk.structure(4, id_bytes))
      one.file = found_.add_file({{}, "chunks/" + icechunk_name(*id)});
    else if (auto const address = chunk.string(5))
      one.file = number_of(std::string{*address});
    else
      one.file = number_of(text(zstd_decoded(required(chunk.vector(8, 1)), dictionary, longest)));
    return one;
  }
  std::size_t number_of(std::string address) {
    auto const before = found_.files().size(), size = address.size();
    auto const number = found_.number_of(std::move(address));
    if (found_.files().size() > before) count(size);
    return number;
  }

  static std::string text(Bytes bytes) { return {reinterpret_cast<char const*>(bytes.data()), bytes.size()}; }

  AnyStore<HostBuffer> const& store_;
  mutable Queue<space::Host> on_{};
  References found_{};
  std::size_t chunks_ = 0;
  mutable std::uint64_t left_ = 0;  // bytes that a file's tables may still have
};

}  // namespace detail

/// The arrays and groups of a snapshot of the repository whose root is the root of `repository`. All of its manifests
/// are read now and kept in memory. Chunks in other files are read from the stores that `open` opens; without it they
/// are errors, and whether such a file changed since is not checked. Throws: MetadataError; StoreError.
inline ReferenceStore open_icechunk(AnyStore<HostBuffer> repository, IcechunkOptions const& options = {},
                                    OpenReferenced open = {}) {
  auto name = repository.name();
  auto references = detail::Icechunk{repository, options}.take();
  auto const open_any = [repository, open = std::move(open)](std::string const& folder) -> AnyStore<HostBuffer> {
    if (folder.empty()) return repository;
    if (open) return open(folder);
    throw StoreError{"a chunk is in a file outside the repository; give open_icechunk a function that opens its folder"}
        .in_store(detail::without_secrets(folder));
  };
  return ReferenceStore{std::move(references), open_any, std::move(name)};
}

namespace detail {

/// "s3://bucket/repository|icechunk://tag.v1/t1": the repository's address, which snapshot, and the path inside.
/// Without "//..." it is the branch main; a name without "branch." or "tag." is a snapshot's id.
struct IcechunkAddress {
  std::string repository{}, inside{};
  IcechunkOptions options{};

  /// nullopt: another address.
  static std::optional<IcechunkAddress> from(std::string_view address) {
    constexpr std::string_view mark = "|icechunk:";
    auto const at = address.find(mark);
    if (at == address.npos) return std::nullopt;
    IcechunkAddress found{.repository = std::string{address.substr(0, at)}};
    auto rest = address.substr(at + mark.size());
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of('/')));
    auto const name = rest.substr(0, rest.find('/'));
    found.inside = joined_names(rest.substr(name.size()));
    constexpr std::string_view branch = "branch.", tag = "tag.";
    if (name.starts_with(branch))
      found.options.branch = name.substr(branch.size());
    else if (name.starts_with(tag))
      found.options.tag = name.substr(tag.size());
    else
      found.options.snapshot = name;
    return found;
  }
};

inline std::optional<StoreAt> icechunk_at(std::string const& address, OpenTrusting const& open) {
  auto const at = IcechunkAddress::from(address);
  if (!at) return std::nullopt;
  auto repository = open(at->repository, true);
  if (!repository.path.empty()) repository.store = PrefixStore{repository.store, repository.path};
  return StoreAt{open_icechunk(repository.store, at->options, referenced_from(at->repository, open)), at->inside};
}

}  // namespace detail

/// The store of a snapshot at an address, "s3://bucket/repository|icechunk://branch.main/t1": the repository's address,
/// then "branch." and a branch, "tag." and a tag, or a snapshot's id, then the path inside. The repository, and the
/// files that it names, are opened by the schemes of the list, as open_references does. nullopt: another address.
/// Throws: StoreError; MetadataError.
template <class List, class... Options>
std::optional<StoreAt> open_icechunk_at(std::string const& address, Options const&... options) {
  return detail::icechunk_at(address, [options...](std::string const& folder, bool is_trusted) {
    return is_trusted ? open_store<List>(folder, options...)
                      : open_store<List>(folder, detail::without_headers(options)...);
  });
}
}}  // namespace tessera::v0
