// A folder on disk (specification: stores/filesystem).
#pragma once
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/checked.hpp>
#include <tessera/store/concept.hpp>
#include <tessera/store/key_lock.hpp>
#include <tessera/store/posix.hpp>

namespace tessera::inline v0 {

/// Keys are files below `root`. A value is written under a temporary name and renamed: a reader sees the old value or
/// the new, never half. Reading allocates nothing.
template <Buffer B>
class LocalStore {
  using Space = typename B::space_type;
  static_assert(Space::host_accessible,
                "tessera: files are read into memory that the host can write; for device memory "
                "include tessera/store/local_store.cuh");

 public:
  using buffer_type = B;
  static constexpr bool refused = !Space::host_accessible;  ///< a message was given

  /// The folder need not exist: until something is written the store is empty.
  explicit LocalStore(std::string root) : state_{std::make_shared<State>(std::move(root))} {
    while (state_->root.size() > 1 && state_->root.ends_with('/')) state_->root.pop_back();
    if (state_->root.empty()) state_->root.push_back('.');  // g++ 12 takes an assignment for an overlap
  }

  std::string name() const { return state_->root; }

  std::optional<std::size_t> read(Key const& key, ByteRange range, Room<Space> room, queue_for<Space>&) const {
    return at(key, [&]() -> std::optional<std::size_t> {
      std::uint64_t total = 0;
      auto const file = detail::posix::File::open_to_read(detail::posix::Path{state_->root, key.path}, total);
      if (!file) return std::nullopt;
      auto const [offset, size] = range.resolve(total);
      auto const to = room(checked_size(size, "the value"));
      file->read(to.data, to.size, offset);
      return to.size;
    });
  }

  void write(Key const& key, ByteView<Space> value, queue_for<Space>& on) const {
    at(key, [&] {
      on.wait();                                  // for what makes the value
      auto const name = key.path.rfind('/') + 1;  // 0, if there is no folder
      for (bool made = false;;) {
        auto const unfinished = key.path.substr(0, name) + temporary_prefix + std::to_string(::getpid()) + '-' +
                                std::to_string(state_->written.fetch_add(1));
        detail::posix::Path const from{state_->root, unfinished}, to{state_->root, key.path};
        detail::posix::File file{::open(from.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
        if (!file.is_open() && errno == EEXIST) continue;
        if (!file.is_open() && errno == ENOENT && !made) {  // once: a link that leads nowhere is there and is not
          detail::posix::make_folders(from, state_->root.size());
          made = true;
          continue;
        }
        if (!file.is_open()) detail::posix::fail("make a file");
        try {
          file.write(value.data, value.size);
          file.close();
          if (::rename(from.c_str(), to.c_str()) != 0) detail::posix::fail("rename the file");
        } catch (...) {
          ::unlink(from.c_str());
          throw;
        }
        return;
      }
    });
  }

  bool erase(Key const& key, queue_for<Space>&) const {
    return at(key, [&] {
      detail::posix::Path const path{state_->root, key.path};
      if (::unlink(path.c_str()) == 0) return true;
      if (errno == ENOENT || errno == ENOTDIR || errno == EISDIR) return false;
      detail::posix::fail("erase the file");
    });
  }

  /// Held while a value is read, changed and written back: keeps the threads of this process apart, among copies of
  /// this store. One at a time: keys may share it.
  auto lock(Key const& key) const { return state_->locks.lock(key); }

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
    if (!prefix.empty()) check(Key{std::string{prefix}});
    try {
      detail::posix::each_in_folder(detail::posix::Path{state_->root, prefix},
                                    [&](std::string_view file, bool is_folder, std::uint64_t size) {
                                      if (!file.starts_with(temporary_prefix))
                                        visit({(prefix / file).path, is_folder, size});
                                    });
    } catch (StoreError& error) {
      error.in_key(prefix).in_store(name());
      throw;
    }
  }

 private:
  static constexpr char const* temporary_prefix = ".tessera-";
  struct State {
    explicit State(std::string path) : root{std::move(path)} {}
    std::string root;
    KeyLocks locks;
    std::atomic<std::uint64_t> written{0};
  };

  template <class F>
  auto at(Key const& key, F&& f) const {
    try {
      check(key);
      return f();
    } catch (Error& error) {
      error.in_key(key.path).in_store(name());
      throw;
    }
  }

  std::shared_ptr<State> state_;
};

static_assert(Store<LocalStore<HostBuffer>> && ListableStore<LocalStore<HostBuffer>>);

}  // namespace tessera::inline v0
