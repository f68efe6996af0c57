// LocalStore: a folder on disk (specification: stores/filesystem).
#pragma once
#include <cstddef>
#include <cstdint>
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
#include <tessera/store/detail/local_folder.hpp>
#include <tessera/store/detail/local_options.hpp>  // IWYU pragma: export
#include <tessera/store/detail/posix/range_reader.hpp>
#include <tessera/store/detail/write_many.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 {

template <class B>
class LocalStore : public detail::StoreOfNoBuffer<B> {
  using detail::StoreOfNoBuffer<B>::StoreOfNoBuffer;
};
LocalStore(std::string, LocalOptions = {}) -> LocalStore<void>;  // reports an error

/// Keys are files below `root`. A key cannot lead out of it, except through symbolic links, if LocalOptions::links
/// allows them. A value is written under a temporary name and renamed: readers see the old value or the new, never a
/// mixture, unless it is appended to. Reading allocates nothing. For device memory include tessera.cuh.
template <Buffer B>
class LocalStore<B> {
  using Space = typename B::space_type;
  static_assert(Space::host_accessible,
                "tessera: files are read into memory that the host can write; for device memory "
                "include tessera/tessera.cuh");

 public:
  using buffer_type = B;
  static constexpr bool refused = !Space::host_accessible;  ///< whether a static_assert has failed
  static constexpr bool reads_in_turn = true;

  /// The folder need not exist: the store is empty until something is written. It is opened on first use. If it is
  /// renamed later, the store still uses it; if it is erased, the store uses the next folder of that name. Throws:
  /// StoreError, if `root` is a URL.
  explicit LocalStore(std::string root, LocalOptions options = {}) : folder_{std::move(root), options} {}
  /// The same files and locks as another LocalStore.
  explicit LocalStore(detail::LocalFolder folder) : folder_{std::move(folder)} {}

  std::string name() const { return folder_.name(); }
  /// The same keys, in host memory.
  LocalStore<HostBuffer> host_side() const { return LocalStore<HostBuffer>{folder_}; }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Destination<Space> destination,
                                  queue_for<Space>&) const {
    return detail::at_key(*this, key, [&]() -> std::optional<std::size_t> {
      auto const file = folder_.find(key);
      if (!file) return std::nullopt;
      auto const [offset, size] = range.resolve(file->size);
      auto const to = destination(checked_size(size, "the value"));
      detail::posix::Piece part{to.data, to.size};
      detail::posix::read(file->descriptor, {&part, 1}, offset);
      return to.size;
    });
  }

  std::optional<std::uint64_t> size(Key const& key, queue_for<Space>&) const { return folder_.size(key); }

  /// The value in the system's file cache, not copied; see MappedBuffer.
  std::optional<MappedBuffer> map(Key const& key, ByteRange range = {}) const {
    return detail::at_key(*this, key, [&]() -> std::optional<MappedBuffer> {
      auto const file = folder_.find(key);
      if (!file) return std::nullopt;
      auto const [offset, size] = range.resolve(file->size);
      return MappedBuffer{file->descriptor.number(), offset, checked_size(size, "the value")};
    });
  }

  /// Opens a key once for consecutive requests; reads neighbouring ranges of it together, by default those at most 256
  /// bytes apart.
  void get_many(std::span<ReadRequest<Space>> requests, queue_for<Space>& on) const {
    auto const wanted = on.host().template lease<std::vector<WantedRange>>();
    for (auto const of_key : runs_of_key(requests)) read_ranges(of_key, *wanted);
  }

  void write(Key const& key, ByteView<Space> value, queue_for<Space>& on) const {
    detail::at_key(*this, key, [&] {
      on.wait();  // for the work that makes the value
      write_file(key, value);
    });
  }

  /// Waits for the queue once.
  void write_many(std::span<WriteRequest<Space> const> requests, queue_for<Space>& on) const {
    for (auto const& request : requests) {
      detail::at_key(*this, *request.key, [&] {
        if (&request == &requests.front()) on.wait();
        write_file(*request.key, request.value, request.stop);
      });
    }
  }

  /// See AppendableStore. Appends to the file in place. False for a file with several hard links, or a symbolic link.
  bool append(Key const& key, ByteView<Space> bytes, std::uint64_t size, queue_for<Space>& on) const {
    return detail::at_key(*this, key, [&] {
      on.wait();
      return folder_.append(key, size, [&](auto const& file) { detail::posix::write(file, bytes.data, bytes.size); });
    });
  }

  bool erase(Key const& key, queue_for<Space>&) const { return folder_.erase(key); }
  /// Moves all keys below a folder to another, atomically. Returns whether any existed. Throws: StoreError, if the
  /// other has keys, or is inside the first.
  bool rename(std::string_view from, std::string_view to) const { return folder_.rename(from, to); }
  /// Exchanges the paths of two folders, atomically. False: the file system cannot. Throws: StoreError, if one is
  /// missing.
  bool exchange(std::string_view one, std::string_view other) const { return folder_.exchange(one, other); }

  /// Locks a key, so that this thread can read its value, change it and write it back. Excludes other users of this
  /// folder, in this process and in others. The lock is released if the process ends. If another writer changes the
  /// value all the same, writing or erasing it under the lock throws ValueChanged. This can be a writer that ignores
  /// locks or, if the value does not exist yet, any writer. Hold one lock at a time, because several keys may share a
  /// lock. Waits for `LocalOptions::patience` at most. Throws: StoreError; Cancelled.
  auto lock(Key const& key, Stop stop = nullptr) const { return folder_.lock(key, stop); }
  /// Locks a folder: exclusively, to change everything below it together, or shared, to change parts of it. Excludes
  /// other users of this folder, in this process and in others. Locks nothing if the folder is missing. Throws:
  /// StoreError; Cancelled.
  FolderLock lock_folder(std::string_view path, Sharing sharing, Stop stop = nullptr) const {
    return folder_.lock_folder(path, sharing, stop);
  }
  /// See ValueWatch: detects other writers of the file, in this process and in others.
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
  void write_file(Key const& key, ByteView<Space> value, Stop stop = nullptr) const {
    folder_.write(
        key, [&](auto const& file) { detail::posix::write(file, value.data, value.size); }, stop);
  }

  // Requires: all requests are for one key. Errors name it and the store, as those of at_key.
  void read_ranges(std::span<ReadRequest<Space>> requests, std::vector<WantedRange>& wanted) const try {
    check_key(*requests.front().key);
    auto const file = folder_.open(requests);
    if (!file) return;
    wanted.clear();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto const [offset, size] = requests[i].resolve(file->size);
      wanted.push_back({offset, checked_size(size, "the value"), i});
    }
    detail::posix::RangeReader reader{file->descriptor};
    for (auto const run : runs_within(wanted, requests.front().limits(detail::posix::file_gap))) {
      for (auto const& range : run) {
        auto const to = requests[range.request].destination(range.size);
        detail::posix::Piece const piece{to.data, to.size};  // named: nvcc 13 loses a list in braces here
        reader.add(range.offset, piece);
        requests[range.request].size = to.size;
      }
      reader.read();
    }
  } catch (Error& error) {
    error.in_key(requests.front().key->path).in_store(name());
    throw;
  }

  detail::LocalFolder folder_;
};

static_assert(Store<LocalStore<HostBuffer>> && ListableStore<LocalStore<HostBuffer>>);
static_assert(AppendableStore<LocalStore<HostBuffer>>);

}}  // namespace tessera::v0
