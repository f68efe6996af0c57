// WritableZipStore: a zip file that is written, such as a .zarr.zip or an .ozx file of OME-Zarr. Needs libzip 1.7
// (BSD-3-Clause) and libdeflate (MIT): link tessera::zip and tessera::deflate.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/detail/at_key.hpp>
#include <tessera/store/locks.hpp>
#include <tessera/with/detail/zip/zip_draft.hpp>

namespace tessera { inline namespace v0 {

/// Options of a WritableZipStore.
struct ZipOptions {
  bool fsync = false;      ///< the file survives a loss of power once `flush` has returned
  bool overwrite = false;  ///< begins an empty file; `flush` replaces an existing one
};

/// Reads and writes a zip file, or begins one, in a folder that exists. Each value is written at once, uncompressed, to
/// a hidden file in the same folder; `flush` replaces the zip file by it:
///
///     WritableZipStore const store{"a.zarr.zip"};
///     create_array<float, 3>(store, "a", {.shape = {64, 64, 64}, .chunks = {32, 32, 32}}).write(all, elements);
///     store.flush();
///
/// Without `flush`, or if it fails or the program is killed, the old file stays as it was, for every reader. This store
/// and its copies can read what they wrote before `flush`, too. A file whose name ends in ".ozx" is one of OME-Zarr's
/// RFC-9: its directory begins with the root's zarr.json, then those below it, level by level, and its comment has the
/// version in the root's attributes.
///
/// Only one store may write a file at a time: of two, the one that flushes last wins; but a store of a new file does
/// not replace one that appears meanwhile. Threads may write at once; a child of fork() may not. Entries of an old file
/// whose names are not keys are left out. Bytes of values that are replaced or erased before a flush stay in the file,
/// unused.
class WritableZipStore {
  using Space = space::Host;

 public:
  using buffer_type = HostBuffer;

  /// Throws: StoreError, if `path` names a file that is no zip file, or is a URL, or the folder above it is missing.
  explicit WritableZipStore(std::string path, ZipOptions const& options = {})
      : draft_{std::make_shared<detail::ZipDraft>(std::move(path), options.fsync, options.overwrite)} {}

  /// Replaces the zip file by the hidden one. Values of the old file that were not replaced are copied, as they are
  /// stored there: flush once, not after each value. Waits for writes in progress. Throws: StoreError; then nothing is
  /// lost, and it may be called again.
  void flush() const { draft_->flush(); }

  std::string name() const { return draft_->name(); }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  Queue<Space>& on) const {
    return detail::at_key(*this, key, [&] { return draft_->read(key, range, destination, on); });
  }
  void write(Key const& key, ByteView<Space> value, Queue<Space>&) const {
    detail::at_key(*this, key, [&] { draft_->write(key.path, value); });
  }
  bool erase(Key const& key, Queue<Space>&) const {
    return detail::at_key(*this, key, [&] { return draft_->erase(key.path); });
  }
  std::optional<std::uint64_t> size(Key const& key, Queue<Space>&) const {
    return detail::at_key(*this, key, [&] { return draft_->size(key.path); });
  }

  /// Held while a value is read, changed and written back, by all copies of this store.
  auto lock(Key const& key, Stop stop = nullptr) const { return draft_->locks.lock(key, stop); }
  FolderLock lock_folder(std::string_view path, Sharing sharing, Stop stop = nullptr) const {
    return draft_->locks.lock_folder(path, sharing, stop);
  }

  bool has_folder(std::string_view path) const { return path.empty() || !draft_->below(path).empty(); }
  void list(std::string_view folder, Visitor visit) const {
    for (auto const& [path, size] : draft_->below(folder)) visit({path, false, size});
  }
  void list_directory(std::string_view folder, Visitor visit) const {
    auto const start = folder.empty() ? 0 : folder.size() + 1;
    std::string last;  // prefix that was visited
    for (auto const& [path, size] : draft_->below(folder)) {
      auto const slash = path.find('/', start);
      if (slash == path.npos) {
        visit({path, false, size});
      } else if (path.compare(0, slash, last) != 0) {
        last = path.substr(0, slash);
        visit({last, true});
      }
    }
  }

 private:
  std::shared_ptr<detail::ZipDraft> draft_;
};

static_assert(Store<WritableZipStore> && ListableStore<WritableZipStore>);

}}  // namespace tessera::v0
