// A folder on disk (specification: stores/filesystem).
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
#include <tessera/buffer/mapped_buffer.hpp>
#include <tessera/core/checked.hpp>
#include <tessera/store/append.hpp>
#include <tessera/store/at_key.hpp>
#include <tessera/store/coalesce.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/local_folder.hpp>
#include <tessera/store/posix/range_reader.hpp>
#include <tessera/store/write_many.hpp>

namespace tessera { inline namespace v0 {

template <class B>
class LocalStore : public detail::StoreOfNoBuffer<B> {
  using detail::StoreOfNoBuffer<B>::StoreOfNoBuffer;
};
LocalStore(std::string, LocalOptions = {}) -> LocalStore<void>;  // a message, not a choice

/// Keys are files below `root`, and no key leads out of it, but by symbolic links where LocalOptions say so. A value is
/// written under a temporary name and renamed: a reader sees the old value or the new, never half, unless it is
/// appended to. Reading allocates nothing. Device memory has a LocalStore of its own, in store/local_store.cuh.
template <Buffer B>
class LocalStore<B> {
  using Space = typename B::space_type;
  static_assert(Space::host_accessible,
                "tessera: files are read into memory that the host can write; for device memory "
                "include tessera/store/local_store.cuh");

 public:
  using buffer_type = B;
  static constexpr bool refused = !Space::host_accessible;  ///< a message was given
  static constexpr bool reads_in_turn = true;

  /// The folder need not exist: until something is written the store is empty. It is found when it is first used: if it
  /// is renamed then, the store stays with it; if it is erased, the store is what next has its name. Throws:
  /// StoreError, if it is a URL.
  explicit LocalStore(std::string root, LocalOptions options = {}) : folder_{std::move(root), options} {}
  /// The same files as another LocalStore's, with the same locks.
  explicit LocalStore(detail::LocalFolder folder) : folder_{std::move(folder)} {}

  std::string name() const { return folder_.name(); }
  /// The same keys, as host bytes.
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

  /// The value where it lies in the system's cache of the file, not copied; see MappedBuffer.
  std::optional<MappedBuffer> map(Key const& key, ByteRange range = {}) const {
    return detail::at_key(*this, key, [&]() -> std::optional<MappedBuffer> {
      auto const file = folder_.find(key);
      if (!file) return std::nullopt;
      auto const [offset, size] = range.resolve(file->size);
      return MappedBuffer{file->descriptor.number(), offset, checked_size(size, "the value")};
    });
  }

  /// Opens the key of requests that follow each other once, and reads those of its ranges that are close together at
  /// once: at most 256 bytes apart, if the requests do not say.
  void get_many(std::span<ReadRequest<Space>> requests, queue_for<Space>& on) const {
    auto const wanted = on.host().template lease<std::vector<WantedRange>>();
    for (auto const of_key : runs_of_key(requests))
      detail::at_key(*this, *of_key.front().key, [&] { read_ranges(of_key, *wanted); });
  }

  void write(Key const& key, ByteView<Space> value, queue_for<Space>& on) const {
    detail::at_key(*this, key, [&] {
      on.wait();  // for what makes the value
      write_file(key, value);
    });
  }

  /// Waits for the queue once.
  void write_many(std::span<WriteRequest<Space> const> requests, queue_for<Space>& on) const {
    for (auto const& request : requests) {
      detail::at_key(*this, *request.key, [&] {
        if (&request == &requests.front()) on.wait();
        write_file(*request.key, request.value);
      });
    }
  }

  /// See AppendableStore. In place: in the file, at its end. A file with several names, or a symbolic link, is none to
  /// append to.
  bool append(Key const& key, ByteView<Space> bytes, std::uint64_t size, queue_for<Space>& on) const {
    return detail::at_key(*this, key, [&] {
      on.wait();
      return folder_.append(key, size, [&](auto const& file) { detail::posix::write(file, bytes.data, bytes.size); });
    });
  }

  bool erase(Key const& key, queue_for<Space>&) const { return folder_.erase(key); }
  /// All keys below one folder get another, at once. Returns whether there were any. Throws: StoreError, if the other
  /// has keys already, or is inside the first.
  bool rename(std::string_view from, std::string_view to) const { return folder_.rename(from, to); }
  /// Two folders each get the path of the other, at once. False: the file system cannot. Throws: StoreError, if one of
  /// them is not there.
  bool exchange(std::string_view one, std::string_view other) const { return folder_.exchange(one, other); }

  /// Held while a value is read, changed and written back, by the thread that took it: keeps apart all who show this
  /// folder, in this process and in others, and ends with the process. A write or erase under it throws ValueChanged if
  /// somebody wrote the value all the same: who does not ask for locks, or, of a value that was not there yet, anybody.
  /// One at a time: keys may share it. Waits.
  auto lock(Key const& key) const { return folder_.lock(key); }
  /// Held while what is below a folder changes as a whole, or by many who share it meanwhile: among all who show this
  /// folder, in this process and in others. Of nothing, if there is no such folder.
  FolderLock lock_folder(std::string_view path, Sharing sharing) const { return folder_.lock_folder(path, sharing); }
  /// See ValueWatch: notices who else writes the file, in this process and in others.
  ValueWatch watch(Key const& key) const { return folder_.watch(key); }
  SequenceCounter& changes(Key const& key) const { return folder_.changes(key); }

  /// Whether there is a folder at that path, "" the root: messages say so, where a document is missing.
  bool has_folder(std::string_view path) const { return folder_.has_folder(path); }
  void list(std::string_view prefix, Visitor visit) const { folder_.list(prefix, visit); }
  void list_directory(std::string_view prefix, Visitor visit) const { folder_.list_directory(prefix, visit); }
  /// As `list`, of what is below the folder itself: symbolic links, `prefix` too, are shown, and not followed.
  void list_own(std::string_view prefix, Visitor visit) const { folder_.list_own(prefix, visit); }

  /// A folder for what is not finished yet, below a folder: no listing shows it, and others leave it alone as long as
  /// the answer is kept. Throws: StoreError.
  detail::posix::UnfinishedFolder make_unfinished(std::string_view folder) const {
    return folder_.make_unfinished(folder);
  }
  /// Visits what writers left below the folder that ended before they were done. Throws: StoreError.
  void list_unfinished(std::string_view prefix, Visitor visit) const { folder_.list_unfinished(prefix, visit); }
  /// Erases it, but not through symbolic links, and returns how much there was.
  std::size_t erase_unfinished(std::string_view prefix) const { return folder_.erase_unfinished(prefix); }

 private:
  void write_file(Key const& key, ByteView<Space> value) const {
    folder_.write(key, [&](auto const& file) { detail::posix::write(file, value.data, value.size); });
  }

  // Requests for one key.
  void read_ranges(std::span<ReadRequest<Space>> requests, std::vector<WantedRange>& wanted) const {
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
  }

  detail::LocalFolder folder_;
};

static_assert(Store<LocalStore<HostBuffer>> && ListableStore<LocalStore<HostBuffer>>);
static_assert(AppendableStore<LocalStore<HostBuffer>>);

}}  // namespace tessera::v0
