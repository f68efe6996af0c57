// IcechunkSnapshot: reads a snapshot of an Icechunk repository as references.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/object_reader.hpp>
#include <tessera/metadata/json.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/get.hpp>
#include <tessera/with/detail/flat_table.hpp>
#include <tessera/with/detail/icechunk/icechunk_file.hpp>
#include <tessera/with/detail/references/references.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The keys of a snapshot, and where their values are.
class IcechunkSnapshot {
  using Bytes = std::span<std::byte const>;
  static constexpr std::size_t id_bytes = 12, node_bytes = 8;

 public:
  /// Reads the snapshot of that id, or else of that tag, or else of that branch. Throws: MetadataError; StoreError.
  IcechunkSnapshot(AnyStore<HostBuffer> const& store, std::string const& branch, std::string const& tag,
                   std::string const& id)
      : store_{store} {
    try {
      add_snapshot(id.empty() ? find_snapshot(tag.empty() ? branch : tag, !tag.empty()) : id);
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
  std::string find_snapshot(std::string const& name, bool is_tag) const {
    auto const what = to_text({is_tag ? "tag " : "branch ", describe(name)});
    std::string id;
    auto const refuse = [&] { throw MetadataError{"the repository has no " + what}; };
    if (tessera::value_size(store_, {"repo"}, on_)) {
      in_file("repo", IcechunkFile::repository, [&](FlatTable const& repo) {
        std::vector<std::string> ids;
        repo.each(4, [&](FlatTable const& one) { ids.push_back(icechunk_name(required(one.structure(0, id_bytes)))); });
        repo.each(is_tag ? 1 : 2, [&](FlatTable const& ref) {
          if (ref.string(0) != name) return;
          auto const number = ref.get<std::uint32_t>(1);
          if (number >= ids.size()) throw MetadataError{to_text({what, " names a snapshot that is not there"})};
          id = ids[number];
        });
      });
      if (id.empty()) refuse();
      return id;
    }
    auto const folder = to_text({"refs/", is_tag ? "tag." : "branch.", name, "/"});
    if (!is_key(folder + "ref.json")) refuse();
    auto const ref = get_value(store_, {folder + "ref.json"}, on_);
    bool const is_deleted = is_tag && tessera::value_size(store_, {folder + "ref.json.deleted"}, on_);
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
        constexpr std::uint64_t kept = 128;  // bytes of a chunk, also of one that shares all of its own with others
        count(kept + index.size());
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

}}}  // namespace tessera::v0::detail
