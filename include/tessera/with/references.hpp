// ReferenceStore: arrays whose chunks are parts of other files, such as HDF5, NetCDF or GRIB, by a references file as
// kerchunk and VirtualiZarr write it in JSON. Needs no library.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/any_store.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/detail/scheme.hpp>
#include <tessera/store/detail/schemes.hpp>
#include <tessera/store/detail/sorted_keys.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/schemes.hpp>
#include <tessera/with/detail/references/referenced_values.hpp>
#include <tessera/with/detail/references/references.hpp>
#include <tessera/with/detail/references/references_in_address.hpp>

namespace tessera { inline namespace v0 {

/// Opens the store of the referenced files below an address: "https://host", with the query of a file's address if it
/// has one; "s3://bucket"; or a folder's path.
using OpenReferenced = std::function<AnyStore<HostBuffer>(std::string const& folder)>;

/// The values that a references file names: texts in it, whole files, and ranges of files. Versions 0 and 1 of
/// kerchunk's JSON with templates; without expressions of Jinja and `gen`. At most about 500 000 references, which the
/// copies of a store share in memory. Read-only.
///
/// Neighbouring ranges of a batch in a file are one request, if the file's store joins them. A file that is missing, or
/// too short for a reference, is an error.
class ReferenceStore {
  using Host = space::Host;

 public:
  using buffer_type = HostBuffer;

  /// `json`: the text of the references. Relative paths in it begin at `folder`, unless that is empty. `name`: the
  /// file's, in messages. Throws: MetadataError, if the text is no references; StoreError, if an address in it is
  /// invalid.
  ReferenceStore(std::string_view json, OpenReferenced open, std::string const& folder = {},
                 std::string const& name = "references")
      : values_{std::make_shared<detail::ReferencedValues>(parsed(json, folder, name), std::move(open), name)} {}
  /// A store of references that are already parsed.
  ReferenceStore(detail::References references, OpenReferenced open, std::string name)
      : values_{std::make_shared<detail::ReferencedValues>(std::move(references), std::move(open), std::move(name))} {}

  std::string name() const { return values_->name(); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Host> destination,
                                  Queue<Host>& on) const {
    ReadRequest<Host> request{&key, range, destination};
    get_many({&request, 1}, on);
    return request.size;
  }

  /// The files' ranges of each store are requested at once.
  void get_many(std::span<ReadRequest<Host>> requests, Queue<Host>& on) const { values_->get_many(requests, on); }

  std::optional<std::uint64_t> size(Key const& key, Queue<Host>& on) const { return values_->size(key, on); }

  bool has_folder(std::string_view path) const {
    auto const [begin, end] = detail::below_folder(*this, values_->values(), path);
    return path.empty() || begin != end;
  }
  /// Requests the size of each value that is a whole file.
  void list(std::string_view folder, Visitor visit) const {
    Queue<Host> on;
    detail::list_sorted(*this, values_->values(), folder, visit,
                        [&](auto const& one) { return values_->size_of(one.second, on); });
  }
  void list_directory(std::string_view folder, Visitor visit) const {
    Queue<Host> on;
    detail::list_directory_sorted(*this, values_->values(), folder, visit,
                                  [&](auto const& one) { return values_->size_of(one.second, on); });
  }

 private:
  static detail::References parsed(std::string_view json, std::string const& folder, std::string const& name) try {
    return detail::References::parse(json, folder);
  } catch (Error& error) {
    error.in_store(name);
    throw;
  }

  std::shared_ptr<detail::ReferencedValues> values_;
};

static_assert(ReadableStore<ReferenceStore> && ListableStore<ReferenceStore>);

namespace detail {

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
  auto const at = references_in_address(address, is_parquet_name, true);
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
  auto const at = references_in_address(address, is_json_name);
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

}  // namespace detail

/// The store of a references file, whose name ends in .json, at an address with a path inside it: "refs.json/t1",
/// "s3://bucket/refs.json". The file, and the files that it names, are opened by the schemes of the list, with these
/// options. A file at an address may not name files of this machine. Other hosts get no `headers` and no tokens; nor
/// does the same host by another scheme, as http:// instead of https://. Accounts of Azure are then read anonymously.
/// nullopt: the address is none of a references file. Throws: StoreError; MetadataError.
template <class List, class... Options>
std::optional<StoreAt> open_references(std::string const& address, Options const&... options) {
  return detail::references_at(address, [options...](std::string const& folder, bool is_trusted) {
    return is_trusted ? open_store<List>(folder, options...)
                      : open_store<List>(folder, detail::without_secrets_for(folder, options)...);
  });
}

}}  // namespace tessera::v0
