// LocalStore of device buffers: a folder on disk, read into device memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <tessera/buffer/device_buffer.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/store/detail/download.cuh>
#include <tessera/store/detail/posix/range_reader.hpp>
#include <tessera/store/detail/upload.cuh>
#include <tessera/store/detail/upload_ranges.cuh>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/local_store.hpp>

namespace tessera { inline namespace v0 {
/// As LocalStore of host buffers, but through page-locked blocks of 4 MiB that the queue keeps. Threads of the queue's
/// host queue read values larger than one. Writing waits for each block in turn, while the next one is copied.
template <Buffer B>
requires std::same_as<typename B::space_type, space::Device>
class LocalStore<B> {
  using Request = ReadRequest<space::Device>;
  using Queue = tessera::Queue<space::Device>;

 public:
  using buffer_type = B;

  explicit LocalStore(std::string root, LocalOptions options = {}) : folder_{std::move(root), options} {}
  explicit LocalStore(detail::LocalFolder folder) : folder_{std::move(folder)} {}

  std::string name() const { return folder_.name(); }
  bool is_near() const { return true; }
  LocalStore<HostBuffer> host_side() const { return LocalStore<HostBuffer>{folder_}; }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<space::Device> destination,
                                  Queue& on) const {
    Request request{&key, range, destination};
    get_many({&request, 1}, on);
    return request.size;
  }

  std::optional<std::uint64_t> size(Key const& key, Queue&) const { return folder_.size(key); }

  /// Neighbouring ranges of a key are read together. Values of at most a block share blocks, and those with
  /// destinations adjacent in a slab are copied together, a block at a time. Destinations are called in order.
  void get_many(std::span<Request> requests, Queue& on) const {
    auto const ranges = on.host().template lease<detail::DeviceRanges>();
    detail::Upload upload{on};
    for (auto const of_key : runs_of_key(requests))
      detail::at_key(*this, *of_key.front().key, [&] {
        read_ranges(of_key, *ranges, upload, on);
        if (&of_key.back() == &requests.back()) upload.send();
      });
  }

  void write(Key const& key, ByteView<space::Device> value, Queue& on) const {
    WriteRequest<space::Device> const request{&key, value};
    detail::Download download{{&request, 1}, on};
    write_next(request, download);
  }

  /// Values adjacent in a slab are copied together, a block at a time.
  void write_many(std::span<WriteRequest<space::Device> const> requests, Queue& on) const {
    detail::Download download{requests, on};
    for (auto const& request : requests) write_next(request, download);
  }

  bool append(Key const& key, ByteView<space::Device> bytes, std::uint64_t size, Queue& on) const {
    WriteRequest<space::Device> const request{&key, bytes};
    detail::Download download{{&request, 1}, on};
    return detail::at_key(*this, key, [&] {
      return folder_.append(key, size, [&](auto const& file) { download.write(bytes.size, file); });
    });
  }

  bool erase(Key const& key, Queue&) const { return folder_.erase(key); }
  /// Moves all keys below a folder to another, atomically. Returns whether any existed. Throws: StoreError, if the
  /// other has keys.
  bool rename(std::string_view from, std::string_view to) const { return folder_.rename(from, to); }
  /// Exchanges the paths of two folders, atomically. False: the file system cannot. Throws: StoreError, if one is
  /// missing.
  bool exchange(std::string_view one, std::string_view other) const { return folder_.exchange(one, other); }
  auto lock(Key const& key, Stop stop = nullptr) const { return folder_.lock(key, stop); }
  FolderLock lock_folder(std::string_view path, Sharing sharing, Stop stop = nullptr) const {
    return folder_.lock_folder(path, sharing, stop);
  }
  ValueWatch watch(Key const& key) const { return folder_.watch(key); }
  SequenceCounter& changes(Key const& key) const { return folder_.changes(key); }
  /// Whether a folder exists at `path`, "" the root; for messages about missing documents.
  bool has_folder(std::string_view path) const { return folder_.has_folder(path); }
  void list(std::string_view prefix, Visitor visit) const { folder_.list(prefix, visit); }
  void list_directory(std::string_view prefix, Visitor visit) const { folder_.list_directory(prefix, visit); }
  /// As `list`, but symbolic links, `prefix` included, are shown and not followed.
  void list_own(std::string_view prefix, Visitor visit) const { folder_.list_own(prefix, visit); }

  /// Makes a hidden folder below `folder` for unfinished work. Listings omit it, and other writers do not erase it
  /// while the returned object exists. Throws: StoreError.
  detail::posix::UnfinishedFolder make_unfinished(std::string_view folder) const {
    return folder_.make_unfinished(folder);
  }
  /// Visits the unfinished files and folders of killed writers below `prefix`. Throws: StoreError.
  void list_unfinished(std::string_view prefix, Visitor visit) const { folder_.list_unfinished(prefix, visit); }
  /// Erases these files and folders, but not through symbolic links. Returns their number.
  std::size_t erase_unfinished(std::string_view prefix) const { return folder_.erase_unfinished(prefix); }

 private:
  // Requires: all requests are for one key.
  void read_ranges(std::span<Request> requests, detail::DeviceRanges& ranges, detail::Upload& upload, Queue& on) const {
    auto const file = folder_.open(requests);
    if (!file) return;
    ranges.find(requests, file->size);
    detail::posix::RangeReader reader{file->descriptor};
    for (auto const run : runs_within(ranges.wanted, requests.front().limits(detail::posix::file_gap)))
      detail::upload_run(reader, file->descriptor, run, ranges, requests, upload, on);
  }

  // Writes the value whose bytes come next in the download.
  void write_next(WriteRequest<space::Device> const& request, detail::Download& download) const {
    detail::at_key(*this, *request.key, [&] {
      folder_.write(
          *request.key, [&](auto const& file) { download.write(request.value.size, file); }, request.stop);
    });
  }

  detail::LocalFolder folder_;
};

static_assert(Store<LocalStore<DeviceBuffer>> && ListableStore<LocalStore<DeviceBuffer>>);
static_assert(AppendableStore<LocalStore<DeviceBuffer>>);

}}  // namespace tessera::v0
