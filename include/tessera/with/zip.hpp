// ZipStore: a zip file as a store, such as zarr-python's ZipStore writes, or an .ozx file of OME-Zarr. Needs libzip 1.7
// (BSD-3-Clause): link tessera::zip.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/detail/coalesce.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/detail/sorted_keys.hpp>
#include <tessera/store/schemes.hpp>
#include <tessera/with/detail/zip/zip_batch.hpp>
#include <tessera/with/detail/zip/zip_file.hpp>

namespace tessera { inline namespace v0 {

/// Reads the entries whose names are keys; of several with one name, the last. Values are host bytes, because libzip
/// decodes them there; for device memory, CastStore<DeviceBuffer, ZipStore>. The file must not change meanwhile; if
/// another file gets its name, the store keeps the old one. Each further thread that reads at the same time keeps
/// another copy of the file's directory.
///
/// The file may also be a value of another store, such as an HttpStore. Then the directory is read once. A call makes
/// one call of that store for all its entries, up to 64 MiB at a time: an HttpStore then has many requests in progress,
/// and one for neighbouring entries. For a part of an uncompressed value only its bytes and the entry's header are
/// fetched.
///
/// A value read whole is checked against its checksum; a part is not. Reading a part of a deflated value decodes
/// everything before it, too.
class ZipStore {
  using Space = space::Host;

 public:
  using buffer_type = HostBuffer;
  /// As ReadsInTurn says.
  static constexpr bool reads_in_turn = true;

  /// Throws: StoreError, if `path` names no zip file, or is a URL.
  explicit ZipStore(std::string path) : file_{std::make_shared<detail::ZipFile>(std::move(path))} {}

  /// The value `file` of a store. Throws: StoreError, if it is missing or no zip file.
  ZipStore(AnyStore<HostBuffer> store, Key file) : ZipStore{opened(std::move(store), std::move(file))} {}

  /// The same; nullopt: the store has no such value.
  static std::optional<ZipStore> find(AnyStore<HostBuffer> store, Key file) {
    auto input = detail::StoredZip::find(std::move(store), std::move(file));
    if (!input) return std::nullopt;
    auto name = input->name();
    return ZipStore{std::make_shared<detail::ZipFile>(std::move(input), std::move(name))};
  }

  /// Shares an open file with other stores.
  explicit ZipStore(std::shared_ptr<detail::ZipFile> file) : file_{std::move(file)} {}

  std::string name() const { return file_->name(); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  Queue<Space>& on) const {
    ReadRequest<Space> request{&key, range, destination};
    get_many({&request, 1}, on);
    return request.size;
  }

  /// Opens each key once for consecutive requests, and decodes it from front to back.
  void get_many(std::span<ReadRequest<Space>> requests, Queue<Space>& on) const {
    auto const wanted = on.lease<std::vector<WantedRange>>();
    detail::ZipBatch batch{*file_, requests};
    while (batch.next(on))
      for (auto const& run : batch.runs())
        detail::at_key(*this, *run.requests.front().key, [&] { read_ranges(run.requests, run.pieces, *wanted, on); });
  }

  std::optional<std::uint64_t> size(Key const& key, Queue<Space>&) const {
    return detail::at_key(*this, key, [&]() -> std::optional<std::uint64_t> {
      auto const* const found = file_->find(key.path);
      if (!found) return std::nullopt;
      return found->size;
    });
  }

  /// Whether a path has keys below it; the root always exists. For messages about a missing document.
  bool has_folder(std::string_view path) const {
    auto const [begin, end] = file_->below(path);
    return path.empty() || begin != end;
  }
  void list(std::string_view folder, Visitor visit) const {
    detail::list_sorted(*this, file_->values(), folder, visit, [](auto const& one) { return one.second.size; });
  }
  void list_directory(std::string_view folder, Visitor visit) const {
    detail::list_directory_sorted(*this, file_->values(), folder, visit,
                                  [](auto const& one) { return one.second.size; });
  }

 private:
  static ZipStore opened(AnyStore<HostBuffer> store, Key file) {
    auto found = find(store, file);
    if (!found)
      throw StoreError{"there is no such value, expected a zip file"}.in_key(file.path).in_store(store.name());
    return *std::move(found);
  }

  // Requests for one key.
  void read_ranges(std::span<ReadRequest<Space>> requests, std::span<detail::ZipPiece const> pieces,
                   std::vector<WantedRange>& wanted, Queue<Space>& on) const {
    for (auto& request : requests) request.size.reset();
    auto const& key = requests.front().key->path;
    auto const* const found = file_->find(key);
    if (!found) return;
    auto const archive = file_->archive(on);
    archive->give(pieces);
    detail::ZipEntry entry{*archive, found->entry, key, found->size, detail::is_any_whole(requests, found->size)};
    wanted.clear();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto const [offset, size] = requests[i].resolve(found->size);
      wanted.push_back({offset, checked_size(size, "the value"), i});
    }
    std::sort(wanted.begin(), wanted.end(), [](auto const& a, auto const& b) { return a.offset < b.offset; });
    for (auto const& range : wanted) {
      auto const to = requests[range.request].destination(range.size);
      entry.read(range.offset, to);
      requests[range.request].size = to.size;
    }
  }

  std::shared_ptr<detail::ZipFile> file_;
};

static_assert(ReadableStore<ZipStore> && ListableStore<ZipStore>);

namespace scheme {

/// A zip file, and a path inside it: "a.zarr.zip/t1", also with file://.
struct Zip {
  struct options_type {};  ///< none
  /// Throws: StoreError, as ZipStore.
  static std::optional<StoreAt> open(std::string const& address, options_type) {
    auto const path = detail::path_in(address);
    auto const file = path ? detail::zip_on_the_way(*path) : std::nullopt;
    if (!file) return std::nullopt;
    return StoreAt{ZipStore{*file}, detail::joined_names(path->substr(file->size()))};
  }
};

/// A zip file at an address of another scheme, and a path inside it: ZipAt<Http> opens "https://host/a.zarr.zip/t1".
/// Its name ends in .zip or .ozx; if there is no such value, the address is not this scheme's.
template <class S>
struct ZipAt {
  using options_type = typename S::options_type;
  /// Throws: StoreError, as `S` and ZipStore.
  static std::optional<StoreAt> open(std::string const& address, options_type const& options) {
    auto const parts = detail::file_in_address(address, detail::is_zip_name);
    auto at = parts ? S::open(parts->folder, options) : std::nullopt;
    auto zip = at ? ZipStore::find(std::move(at->store), {parts->file}) : std::nullopt;
    if (!zip) return std::nullopt;
    return StoreAt{*std::move(zip), parts->inside};
  }
};

}  // namespace scheme

}}  // namespace tessera::v0
