// Locks of files and folders that all processes see. They belong to open files: the kernel takes them back when their
// owner ends, however it ends.
#pragma once
#include <cerrno>
#include <cstdint>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/store/posix/descriptor.hpp>
#include <tessera/store/posix/folder.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

/// Takes a lock of an open file: LOCK_SH or LOCK_EX, with LOCK_NB. False: somebody has it, or the file system knows no
/// such locks.
inline bool lock(int file, int how) {
  for (;;) {
    if (::flock(file, how) == 0) return true;
    if (errno == EINTR) continue;
    // EBADF: some network file systems lock only what is open to be written.
    if (errno == EWOULDBLOCK || errno == EOPNOTSUPP || errno == ENOLCK || errno == EBADF || errno == ENOSYS ||
        errno == EINVAL)
      return false;
    fail("lock the file");
  }
}

/// An open file or folder, unlocked and closed with it. Unlocked first: a process that was forked meanwhile has the
/// same open file, and its lock would be that process's.
class Locked {
 public:
  Locked() = default;
  explicit Locked(Descriptor file) : file_{std::move(file)} {}
  Locked(Locked&&) = default;
  Locked& operator=(Locked&& other) noexcept {
    unlock();
    file_ = std::move(other.file_);
    return *this;
  }
  ~Locked() { unlock(); }

  explicit operator bool() const { return static_cast<bool>(file_); }
  Descriptor const& descriptor() const { return file_; }
  int release() { return file_.release(); }

 private:
  void unlock() noexcept {
    if (!file_) return;
    auto const error = errno;  // of what failed before
    ::flock(file_.number(), LOCK_UN);
    errno = error;
    file_ = Descriptor{-1};
  }

  Descriptor file_{-1};
};

/// What tells a file from the one that replaced it, while the first is open, and from what it was.
inline bool is_same(struct stat const& a, struct stat const& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

/// The file that a name has in a folder, locked; or that it has none.
class LockedFile {
 public:
  /// Waits for others who have it, or, with LOCK_NB, takes it as not there. A folder is no file.
  static LockedFile take(int folder, char const* name, int how = LOCK_EX) {
    for (;;) {
      LockedFile taken;
      Descriptor file{::openat(folder, name, read_only | O_NOFOLLOW)};
      struct stat now {};
      if (!file) {
        if (::fstatat(folder, name, &taken.was_, AT_SYMLINK_NOFOLLOW) == 0) {
          taken.is_there_ = !S_ISDIR(taken.was_.st_mode);  // a link, or a file that may not be read: it has no lock
        } else if (errno != ENOENT && errno != ENOTDIR) {
          fail("look at the file");
        }
        return taken;
      }
      if (S_ISDIR(file.status().st_mode)) return taken;
      if (!lock(file.number(), how) && errno == EWOULDBLOCK) return taken;
      taken.file_ = Locked{std::move(file)};
      taken.was_ = taken.file_.descriptor().status();
      if (::fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) != 0 || !is_same(now, taken.was_)) continue;
      taken.is_there_ = true;
      return taken;
    }
  }

  bool is_there() const { return is_there_; }
  mode_t mode() const { return was_.st_mode; }
  /// Whether nobody, who need not have asked for the lock, replaced or changed it.
  bool is_current(int folder, char const* name) const {
    struct stat now {};
    bool const found = ::fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0;
    return is_there_ ? found && is_same(now, was_) : !found || S_ISDIR(now.st_mode);
  }
  /// Whether an open file is this one, as it was.
  bool is(Descriptor const& file) const { return is_there_ && is_same(file.status(), was_); }

 private:
  Locked file_;
  struct stat was_ {};
  bool is_there_ = false;
};

/// The folder of that path, locked: its name may lead to another one after that. Of none, if there is none, or it can
/// have no locks.
inline Locked lock_folder(Folder const& root, std::string const& path, int how) {
  for (;;) {
    auto found = root.find(path, read_only | O_DIRECTORY);
    if (!found) return {};
    if (!lock(found->number(), how)) return {};
    Locked folder{std::move(*found)};
    auto const now = root.find(path, pass | O_DIRECTORY);
    if (!now) return {};
    auto const a = folder.descriptor().status(), b = now->status();
    if (a.st_dev == b.st_dev && a.st_ino == b.st_ino) return folder;
  }
}

}  // namespace detail::posix
}}  // namespace tessera::v0
