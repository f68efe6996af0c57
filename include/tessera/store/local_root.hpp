// What the copies of a LocalStore share: its folder, found when it is first used.
#pragma once
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <tessera/store/links.hpp>
#include <tessera/store/local_locks.hpp>
#include <tessera/store/posix/files.hpp>
#include <tessera/store/posix/rename.hpp>
#include <tessera/store/posix/watch.hpp>
#include <tessera/store/scheme.hpp>
#include <tessera/store/watch.hpp>

namespace tessera { inline namespace v0 {

struct LocalOptions {
  bool fsync = false;           ///< a written value outlasts a loss of power once `write` has returned; dear
  Links links = Links::refuse;  ///< what symbolic links below the root are; the root itself may be reached by some
};

namespace detail {

// What the copies of a LocalStore share.
struct LocalRoot final : ValueWatch::Owner {
  LocalRoot(std::string path_, LocalOptions options_) : path{std::move(path_)}, options{options_} {
    expect_path(path);
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    if (path.empty()) path.push_back('.');  // g++ 12 takes an assignment for an overlap
  }

  /// nullptr: there is no such folder, or it is `gone` and there is no other yet.
  std::shared_ptr<posix::Folder const> folder(posix::Folder const* gone = nullptr) {
    std::lock_guard lock{mutex_};
    if (folder_.get() == gone) {
      folder_.reset();
      if (auto opened = posix::Folder::open(path, options.links))
        folder_ = std::make_shared<posix::Folder const>(std::move(*opened));
    }
    return folder_;
  }

  bool is_unchanged(std::intptr_t handle, ValueVersion const& seen) const override {
    auto const file = posix::Descriptor::lent(static_cast<int>(handle));
    return posix::is_unchanged(file.status(), seen);
  }
  void unwatch(std::intptr_t handle) noexcept override { posix::Descriptor const ends{static_cast<int>(handle)}; }

  /// The folder that has the name now; nullptr: none has.
  std::shared_ptr<posix::Folder const> current() {
    auto found = folder();
    return found && found->was_erased() ? folder(found.get()) : found;
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
    auto found = current();
    if (found) return found;
    posix::make_folders(path, options.fsync);
    if (!(found = folder())) posix::fail("open the folder", ENOENT);
    return found;
  }

  std::string path;
  LocalOptions options;
  LocalLocks locks;
  std::atomic<std::uint64_t> written{0};

 private:
  std::mutex mutex_;
  std::shared_ptr<posix::Folder const> folder_;
};

}  // namespace detail

}}  // namespace tessera::v0
