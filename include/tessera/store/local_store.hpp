// A folder on disk (specification: stores/filesystem).
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/buffer/mapped_buffer.hpp>
#include <tessera/core/checked.hpp>
#include <tessera/store/at_key.hpp>
#include <tessera/store/coalesce.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/get.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/posix/files.hpp>

namespace tessera::inline v0 {

struct LocalOptions {
  bool fsync = false;  ///< a written value outlasts a loss of power once `write` has returned; dear
};

namespace detail {

// What the copies of a LocalStore share.
struct LocalRoot {
  LocalRoot(std::string path_, LocalOptions options_) : path{std::move(path_)}, options{options_} {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (path.empty()) path.push_back('.');  // g++ 12 takes an assignment for an overlap
  }

  /// nullptr: there is no such folder, or it is `gone` and there is no other yet.
  std::shared_ptr<posix::Folder const> folder(posix::Folder const* gone = nullptr) {
    std::lock_guard lock{mutex_};
    if (folder_.get() == gone) {
      folder_.reset();
      if (auto opened = posix::Folder::open(path)) folder_ = std::make_shared<posix::Folder const>(std::move(*opened));
    }
    return folder_;
  }

  /// What f finds below the folder; if nothing, and the folder was erased, below what has its name now.
  template <class F>
  auto find(F&& f) -> decltype(f(std::declval<posix::Folder const&>())) {
    auto const before = folder();
    if (!before) return {};
    auto found = f(*before);
    if (found || !before->was_erased()) return found;
    auto const after = folder(before.get());
    if (!after) return {};
    return f(*after);
  }

  std::shared_ptr<posix::Folder const> make() {
    auto found = folder();
    if (found && found->was_erased()) found = folder(found.get());
    if (found) return found;
    posix::make_folders(path, options.fsync);
    if (!(found = folder())) posix::fail("open the folder", ENOENT);
    return found;
  }

  std::string path;
  LocalOptions options;
  KeyLocks locks;
  std::atomic<std::uint64_t> written{0};

 private:
  std::mutex mutex_;
  std::shared_ptr<posix::Folder const> folder_;
};

// Lists that get_many needs, kept by the queue.
struct ManyRanges {
  std::vector<std::size_t> order;
  std::vector<WantedRange> wanted;
};

}  // namespace detail

/// Keys are files below `root`, and no key leads out of it, be it by symbolic links. A value is written under a
/// temporary name and renamed: a reader sees the old value or the new, never half. Reading allocates nothing.
template <Buffer B>
class LocalStore {
  using Space = typename B::space_type;
  static_assert(Space::host_accessible,
                "tessera: files are read into memory that the host can write; for device memory "
                "include tessera/store/local_store.cuh");

 public:
  using buffer_type = B;
  static constexpr bool refused = !Space::host_accessible;  ///< a message was given

  /// The folder need not exist: until something is written the store is empty. It is found when it is first used: if it
  /// is renamed then, the store stays with it; if it is erased, the store is what next has its name.
  explicit LocalStore(std::string root, LocalOptions options = {})
      : root_{std::make_shared<detail::LocalRoot>(std::move(root), options)} {}

  std::string name() const { return root_->path; }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Room<Space> room, queue_for<Space>&) const {
    return detail::at_key(*this, key, [&]() -> std::optional<std::size_t> {
      auto const file = open(key);
      if (!file) return std::nullopt;
      auto const [offset, size] = range.resolve(file->size);
      auto const to = room(checked_size(size, "the value"));
      iovec part{to.data, to.size};
      detail::posix::read(file->descriptor, {&part, 1}, offset);
      return to.size;
    });
  }

  std::optional<std::uint64_t> size(Key const& key, queue_for<Space>&) const {
    return detail::at_key(*this, key, [&]() -> std::optional<std::uint64_t> {
      auto const file = open(key);
      if (!file) return std::nullopt;
      return file->size;
    });
  }

  /// The value where it lies in the system's cache of the file, not copied; see MappedBuffer.
  std::optional<MappedBuffer> map(Key const& key, ByteRange range = {}) const {
    return detail::at_key(*this, key, [&]() -> std::optional<MappedBuffer> {
      auto const file = open(key);
      if (!file) return std::nullopt;
      auto const [offset, size] = range.resolve(file->size);
      return MappedBuffer{file->descriptor.number(), offset, checked_size(size, "the value")};
    });
  }

  /// Opens each key once, and reads ranges that are close together at once.
  void get_many(std::span<ReadRequest<Space>> requests, queue_for<Space>& on) const {
    auto const lists = on.host().template lease<detail::ManyRanges>();
    auto& order = lists->order;
    order.resize(requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    auto const path = [&](std::size_t i) -> std::string const& { return requests[i].key->path; };
    std::ranges::sort(order, {}, path);
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
      while (last < order.size() && path(order[last]) == path(order[first])) ++last;
      auto const same = std::span{order}.subspan(first, last - first);
      detail::at_key(*this, *requests[order[first]].key, [&] { read_ranges(requests, same, lists->wanted); });
    }
  }

  void write(Key const& key, ByteView<Space> value, queue_for<Space>& on) const {
    detail::at_key(*this, key, [&] {
      on.wait();  // for what makes the value
      if (std::string_view{detail::posix::Parts{key.path}.name}.starts_with(temporary_prefix))
        throw StoreError{text({"names that begin with \"", temporary_prefix, "\" are those of unfinished values"})};
      detail::posix::replace(*root_->make(), key.path, temporary_prefix, root_->written, value.data, value.size,
                             root_->options.fsync);
    });
  }

  bool erase(Key const& key, queue_for<Space>&) const {
    return detail::at_key(*this, key, [&] {
      return root_->find([&](auto const& root) { return detail::posix::erase(root, key.path, root_->options.fsync); });
    });
  }

  /// Held while a value is read, changed and written back: keeps the threads of this process apart, among copies of
  /// this store. One at a time: keys may share it.
  auto lock(Key const& key) const { return root_->locks.lock(key); }

  void list(std::string_view prefix, Visitor visit) const {
    std::vector<std::string> folders{std::string{prefix}};  // no recursion: folders may be nested without bound
    while (!folders.empty()) {
      auto const folder = std::move(folders.back());
      folders.pop_back();
      list_directory(folder, [&](Listed const& entry) {
        if (entry.is_prefix)
          folders.emplace_back(entry.path);
        else
          visit(entry);
      });
    }
  }

  void list_directory(std::string_view prefix, Visitor visit) const {
    std::string const folder{prefix};
    auto const show = [&](std::string_view file, bool is_folder, std::uint64_t size) {
      if (is_folder || !file.starts_with(temporary_prefix)) visit({(prefix / file).path, is_folder, size});
    };
    try {
      if (!prefix.empty()) check(Key{folder});
      root_->find([&](auto const& root) { return detail::posix::for_each_in(root, folder, show); });
    } catch (StoreError& error) {
      error.in_key(prefix).in_store(name());
      throw;
    }
  }

 private:
  static constexpr char const* temporary_prefix = ".tessera-";

  struct File {
    detail::posix::Descriptor descriptor;
    std::uint64_t size;
  };

  // nullopt: there is no such file; a folder is none.
  std::optional<File> open(Key const& key) const {
    return root_->find([&](auto const& root) -> std::optional<File> {
      auto found = root.find(key.path, detail::posix::read_only);
      if (!found) return std::nullopt;
      auto const info = found->status();
      if (S_ISDIR(info.st_mode)) return std::nullopt;
      if (!S_ISREG(info.st_mode)) throw StoreError{"not a regular file"};
      return File{std::move(*found), static_cast<std::uint64_t>(info.st_size)};
    });
  }

  // Those of the requests that `same` names, which are for one key.
  void read_ranges(std::span<ReadRequest<Space>> requests, std::span<std::size_t const> same,
                   std::vector<WantedRange>& wanted) const {
    auto const file = open(*requests[same.front()].key);
    wanted.clear();
    for (auto i : same) {
      requests[i].size.reset();
      if (!file) continue;
      auto const [offset, size] = requests[i].range.resolve(file->size);
      wanted.push_back({offset, checked_size(size, "the value"), i});
    }
    for_each_run(wanted, largest_gap, [&](std::span<WantedRange const> run) {
      std::byte unwanted[largest_gap];
      iovec parts[64];
      std::size_t count = 0;
      auto begin = run.front().offset, end = begin;
      auto const flush = [&] {
        detail::posix::read(file->descriptor, {parts, count}, begin);
        count = 0;
      };
      for (auto const& range : run) {
        auto const apart = range.offset < end || range.offset - end > largest_gap;  // of those that lie over each other
        if (apart || count + 2 > std::size(parts)) flush(), begin = end = range.offset;
        if (range.offset > end) parts[count++] = {unwanted, range.offset - end};
        auto const to = requests[range.request].room(range.size);
        parts[count++] = {to.data, to.size};
        requests[range.request].size = to.size;
        end = range.offset + range.size;
      }
      flush();
    });
  }

  static constexpr std::size_t largest_gap = 256;  // bytes: less than the time of a system call
  std::shared_ptr<detail::LocalRoot> root_;
};

static_assert(Store<LocalStore<HostBuffer>> && ListableStore<LocalStore<HostBuffer>>);

}  // namespace tessera::inline v0
