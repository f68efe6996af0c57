// ReferenceStore: arrays whose chunks are parts of other files, such as HDF5, NetCDF or GRIB, by a references file as
// kerchunk and VirtualiZarr write it in JSON. Needs no library.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/scheme.hpp>
#include <tessera/store/detail/schemes.hpp>
#include <tessera/store/detail/sorted_keys.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/read_request.hpp>
#include <tessera/store/schemes.hpp>
#include <tessera/with/detail/references/references.hpp>

namespace tessera { inline namespace v0 {

/// Opens the store of the referenced files below an address: "https://host", with the query of a file's address if it
/// has one; "s3://bucket"; or a folder's path.
using OpenReferenced = std::function<AnyStore<HostBuffer>(std::string const& folder)>;

/// The values that a references file names: texts in it, whole files, and ranges of files. Versions 0 and 1 of
/// kerchunk's JSON with templates; without expressions of Jinja and `gen`. At most about 500 000 references, which the
/// copies of a store share in memory. Read-only.
///
/// Ranges of a batch that lie close in a file are one request, if the file's store joins them. A file that is missing,
/// or shorter than a reference says, is an error, because the references promise it.
class ReferenceStore {
  using Host = space::Host;

 public:
  using buffer_type = HostBuffer;

  /// `json`: the text of the references. Relative paths in it begin at `folder`, unless that is empty. `name`: the
  /// file's, in messages. Throws: MetadataError, if the text is no references; StoreError, if an address in it is
  /// invalid.
  ReferenceStore(std::string_view json, OpenReferenced open, std::string const& folder = {},
                 std::string const& name = "references")
      : state_{std::make_shared<State>(State::parsed(json, folder, name), std::move(open), name)} {}
  /// Of references from elsewhere.
  ReferenceStore(detail::References references, OpenReferenced open, std::string name)
      : state_{std::make_shared<State>(std::move(references), std::move(open), std::move(name))} {}

  std::string name() const { return state_->name; }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Host> destination,
                                  Queue<Host>& on) const {
    ReadRequest<Host> request{&key, range, destination};
    get_many({&request, 1}, on);
    return request.size;
  }

  /// The files' ranges of each store are requested at once.
  void get_many(std::span<ReadRequest<Host>> requests, Queue<Host>& on) const {
    std::map<std::size_t, std::vector<Part>> by_file;
    for (auto& request : requests) {
      request.size.reset();
      auto const* const found = find(*request.key);
      if (!found) continue;
      if (found->file)
        by_file[*found->file].push_back(part(request, *found));
      else
        detail::at_key(*this, *request.key, [&] { copy(found->bytes, request); });
    }
    for (auto at = by_file.begin(); at != by_file.end();) {  // files of one store are neighbours if they were named so
      auto const& folder = file(at->first).folder;
      std::vector<Part> parts;
      for (; at != by_file.end() && file(at->first).folder == folder; ++at)
        for (auto& one : at->second) parts.push_back(one);
      read_parts(parts, on);
    }
  }

  std::optional<std::uint64_t> size(Key const& key, Queue<Host>& on) const {
    auto const* const found = find(key);
    if (!found) return std::nullopt;
    return size_of(*found, on);
  }

  bool has_folder(std::string_view path) const {
    auto const [begin, end] = detail::below_folder(*this, state_->references.values(), path);
    return path.empty() || begin != end;
  }
  /// Asks for the size of each value that is a whole file.
  void list(std::string_view folder, Visitor visit) const {
    Queue<Host> on;
    detail::list_sorted(*this, state_->references.values(), folder, visit,
                        [&](auto const& one) { return size_of(one.second, on); });
  }
  void list_directory(std::string_view folder, Visitor visit) const {
    Queue<Host> on;
    detail::list_directory_sorted(*this, state_->references.values(), folder, visit,
                                  [&](auto const& one) { return size_of(one.second, on); });
  }

 private:
  struct State {
    State(detail::References given, OpenReferenced opener, std::string of)
        : name{std::move(of)}, open{std::move(opener)}, references{std::move(given)} {}

    static detail::References parsed(std::string_view json, std::string const& folder, std::string const& name) try {
      return detail::References::parse(json, folder);
    } catch (Error& error) {
      error.in_store(name);
      throw;
    }

    std::string name;
    OpenReferenced open;
    detail::References references;
    std::mutex mutex{};  // for what follows
    std::map<std::string, AnyStore<HostBuffer>> stores{};  // by their folders
  };

  // A request for a range of a file.
  struct Part {
    ReadRequest<Host>* request;
    detail::Reference const* reference;
    Key key;          // in the file's store
    ByteRange range;  // of the file
  };

  detail::Reference const* find(Key const& key) const {
    return detail::at_key(*this, key, [&]() -> detail::Reference const* {
      auto const& values = state_->references.values();
      auto const found = values.find(key.path);
      return found == values.end() ? nullptr : &found->second;
    });
  }
  detail::ReferencedFile const& file(std::size_t number) const { return state_->references.files()[number]; }

  AnyStore<HostBuffer> store_of(detail::ReferencedFile const& file) const {
    std::lock_guard const held{state_->mutex};
    auto found = state_->stores.find(file.folder);
    if (found == state_->stores.end()) found = state_->stores.emplace(file.folder, state_->open(file.folder)).first;
    return found->second;
  }

  Part part(ReadRequest<Host>& request, detail::Reference const& found) const {
    Part one{&request, &found, {file(*found.file).key}, request.range};
    if (!found.size) return one;
    auto const [offset, size] =
        detail::at_key(*this, *request.key, [&] { return request.resolve(*found.size); });
    one.range = {found.offset + offset, size};
    return one;
  }

  // Of files of one store.
  void read_parts(std::vector<Part>& parts, Queue<Host>& on) const {
    auto const store = detail::at_key(*this, *parts.front().request->key,
                                      [&] { return store_of(file(*parts.front().reference->file)); });
    std::vector<std::function<ByteSpan<Host>(std::size_t)>> destinations;
    destinations.reserve(parts.size());
    std::vector<ReadRequest<Host>> wanted;
    for (auto const& one : parts) {
      auto const& to = destinations.emplace_back([&one](std::size_t size) {
        if (one.reference->size && size != one.range.size)
          throw StoreError{to_text({"the file ends after ", one.range.offset + size, " bytes; a reference expects ",
                                    one.range.offset + one.range.size})};
        return one.request->destination(size);
      });
      wanted.push_back({.key = &one.key,
                        .range = one.range,
                        .destination = {to, one.request->destination.limits()},
                        .max_gap = one.request->max_gap,
                        .max_request_bytes = one.request->max_request_bytes,
                        .arrived = one.request->arrived});
      if (!one.reference->size) wanted.back().value_size = one.request->value_size;
    }
    try {
      store.get_many(wanted, on);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i].request->size = wanted[i].size;
        if (!wanted[i].size)
          throw StoreError{"the file is missing, but references name it"}
              .in_key(parts[i].key.path)
              .in_store(store.name());
      }
    } catch (Error& error) {  // names the file; so does one of the keys
      auto const found = std::ranges::find(parts, error.key(), [](Part const& one) { return one.key.path; });
      if (found != parts.end()) error.in_work(to_text({"for ", describe(found->request->key->path)}));
      throw;
    }
  }

  static void copy(std::string const& bytes, ReadRequest<Host>& request) {
    auto const [offset, size] = request.resolve(bytes.size());
    auto const to = request.destination(checked_size(size, "the value"));
    if (to.size > 0) std::memcpy(to.data, bytes.data() + offset, to.size);
    request.size = to.size;
  }

  std::uint64_t size_of(detail::Reference const& found, Queue<Host>& on) const {
    if (!found.file) return found.bytes.size();
    if (found.size) return *found.size;
    auto const& whole = file(*found.file);
    auto const size = store_of(whole).size({whole.key}, on);
    if (!size)
      throw StoreError{"the file is missing, but references name it"}
          .in_key(whole.key)
          .in_store(detail::without_secrets(whole.folder));
    return *size;
  }

  std::shared_ptr<State> state_;
};

static_assert(ReadableStore<ReferenceStore> && ListableStore<ReferenceStore>);

namespace detail {

/// Names of references files; those of Zarr's are none.
inline bool is_json_name(std::string_view name) { return name.ends_with(".json") && name != "zarr.json"; }
inline bool is_parquet_name(std::string_view name) { return name.ends_with(".parq") || name.ends_with(".parquet"); }

/// "data/refs.json/t1" or "https://host/refs.json/t1" as a references file's folder, its name and the path inside, by
/// the first such name. At a path it must be a file, or with `is_folder` a folder.
inline std::optional<FileInAddress> references_file(std::string const& address, bool (*is_one)(std::string_view),
                                                    bool is_folder = false) {
  auto const path = path_in(address);
  if (!path) return file_in_address(address, is_one);
  std::error_code ignored;
  for (std::filesystem::path at{*path}; at.has_relative_path(); at = at.parent_path()) {
    if (!std::filesystem::exists(at, ignored)) continue;
    auto const name = at.filename().string();
    bool const is_right = is_one(name) && (is_folder ? std::filesystem::is_directory(at, ignored)
                                                     : std::filesystem::is_regular_file(at, ignored));
    if (is_folder && !is_right) continue;  // it may be further up
    if (!is_right) return std::nullopt;
    auto const folder = at.has_parent_path() ? at.parent_path().string() : ".";
    return FileInAddress{folder, name, joined_names(path->substr(at.string().size()))};
  }
  return std::nullopt;
}

/// "me@host:80" of "https://me@host:80/a?query"; empty for a path.
inline std::string_view host_in(std::string_view address) {
  auto const scheme = scheme_of(address);
  if (scheme.empty() || scheme == "file") return {};
  address.remove_prefix(scheme.size() + 3);
  return address.substr(0, address.find_first_of("/?"));
}

/// Opens a folder's address; `is_trusted`: with all options of the call. Else secrets are left out, because the folder
/// is at another host than the references, or by another scheme.
using OpenTrusting = std::function<StoreAt(std::string const& folder, bool is_trusted)>;

/// Opens what a file at an address refers to.
inline OpenReferenced referenced_from(std::string const& address, OpenTrusting open) {
  std::string const host{host_in(address)}, scheme{scheme_of(address)};
  return [open = std::move(open), host, scheme](std::string const& folder) {
    auto const of_folder = host_in(folder);
    if (!host.empty() && of_folder.empty())
      throw StoreError{"references at an address may not name files of this machine"}.in_store(folder);
    // http:// shows to the network what https:// hides.
    bool const is_same = host == of_folder && scheme == scheme_of(folder);
    return open(folder, host.empty() || is_same).store;
  };
}

/// Throws: StoreError, if the address is one of references in Parquet.
inline void refuse_parquet(std::string const& address, OpenTrusting const& open) {
  auto const at = references_file(address, is_parquet_name, true);
  if (!at) return;
  Queue<space::Host> on;
  auto const above = open(at->folder, true);
  auto const root = above.path.empty() ? at->file : above.path + '/' + at->file;
  // A hierarchy of Zarr v2 in a folder of such a name has both.
  if (!tessera::value_size(above.store, {root + "/.zmetadata"}, on) ||
      tessera::value_size(above.store, {root + "/.zgroup"}, on))
    return;
  throw StoreError{
      "found references in Parquet, expected JSON, as kerchunk writes them too; fsspec converts them: "
      "ReferenceFileSystem(\"refs.parq\").save_json(\"refs.json\")"}
      .in_key(root)
      .in_store(above.store.name());
}

inline std::optional<StoreAt> references_at(std::string const& address, OpenTrusting const& open) {
  refuse_parquet(address, open);
  auto const at = references_file(address, is_json_name);
  if (!at) return std::nullopt;
  Queue<space::Host> on;
  auto const above = open(at->folder, true);
  auto const text = get_value(above.store, {above.path.empty() ? at->file : above.path + '/' + at->file}, on);
  if (!text) return std::nullopt;
  auto const plain = is_web(scheme_of(address)) ? at->folder.substr(0, at->folder.find('?')) : at->folder;
  auto const referenced = referenced_from(address, open);
  std::string_view const json{reinterpret_cast<char const*>(text->view().data), text->view().size};
  return StoreAt{ReferenceStore{json, referenced, plain, above.store.name() + '/' + at->file}, at->inside};
}

/// Options without what only one host should see.
template <class O>
O without_headers(O options) {
  if constexpr (requires { options.headers.clear(); }) options.headers.clear();
  if constexpr (requires { options.bearer.clear(); }) options.bearer.clear();
  if constexpr (requires { options.sas.clear(); }) options.sas.clear();
  if constexpr (requires { options.http.headers.clear(); }) options.http.headers.clear();
  return options;
}

}  // namespace detail

/// The store of a references file, whose name ends in .json, at an address with a path inside it: "refs.json/t1",
/// "s3://bucket/refs.json". The file, and the files that it names, are opened by the schemes of the list, with these
/// options. A file at an address may not name files of this machine. Other hosts get no `headers`; nor does the same
/// host by another scheme, as http:// instead of https://. nullopt: the address is none of a references file. Throws:
/// StoreError; MetadataError.
template <class List, class... Options>
std::optional<StoreAt> open_references(std::string const& address, Options const&... options) {
  return detail::references_at(address, [options...](std::string const& folder, bool is_trusted) {
    return is_trusted ? open_store<List>(folder, options...)
                      : open_store<List>(folder, detail::without_headers(options)...);
  });
}

}}  // namespace tessera::v0
