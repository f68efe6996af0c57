// Locked, LockedFile: locks of files and folders that all processes see. The kernel releases them when their owner
// ends, however it ends, because they belong to open files.
#pragma once
#include <chrono>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/detail/posix/descriptor.hpp>
#include <tessera/store/detail/posix/folder.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

/// How long to wait for a lock.
struct Waiting {
  Stop stop = nullptr;
  std::chrono::seconds patience{600};
};

/// Locks an open file, LOCK_SH or LOCK_EX, without waiting. False: another open file has the lock, and errno is
/// EWOULDBLOCK; or the file system has no such locks.
TESSERA_DECL bool try_lock(int file, int how);
/// Waits for the lock. False: the file system has no such locks. Throws: Cancelled; StoreError, if another open file
/// has the lock for longer than `patience`.
TESSERA_DECL bool lock(int file, int how, Waiting const& waiting);

/// An open file or folder, unlocked and closed on destruction. Closing alone would leave the lock to a process forked
/// meanwhile, which shares the open file.
class Locked {
 public:
  Locked() = default;
  explicit Locked(Descriptor file) : file_{std::move(file)} {}
  Locked(Locked&&) = default;
  Locked& operator=(Locked&& other) noexcept;
  ~Locked() { unlock(); }

  explicit operator bool() const { return static_cast<bool>(file_); }
  Descriptor const& descriptor() const { return file_; }
  int release() { return file_.release(); }

 private:
  void unlock() noexcept;

  Descriptor file_{-1};
};

/// Whether both are of the same, unchanged file. Requires: the first file is still open.
TESSERA_DECL bool is_same(struct stat const& a, struct stat const& b);

/// The file of a name in a folder, locked; or none.
class LockedFile {
 public:
  /// Waits for other holders; without `waiting`, treats a locked file as missing. A folder is not a file.
  static LockedFile take(int folder, char const* name, Waiting const* waiting);

  bool is_there() const { return is_there_; }
  mode_t mode() const { return was_.st_mode; }
  /// Whether the file was neither replaced nor changed, even by writers that take no lock.
  bool is_current(int folder, char const* name) const;
  /// Whether an open file is this one, unchanged.
  bool is(Descriptor const& file) const { return is_there_ && is_same(file.status(), was_); }

 private:
  Locked file_;
  struct stat was_ {};
  bool is_there_ = false;
};

/// Locks the folder at `path`, which may lead to another one later. Locks nothing if it is missing or cannot be locked,
/// or if `is_mine(status)` says that the caller has locked it.
template <class F>
Locked lock_folder(Folder const& root, std::string const& path, int how, Waiting const& waiting, F&& is_mine) {
  for (;;) {
    auto found = root.find(path, read_only | O_DIRECTORY);
    if (!found) return {};
    auto const a = found->status();
    if (is_mine(a) || !lock(found->number(), how, waiting)) return {};
    Locked folder{std::move(*found)};
    auto const now = root.find(path, pass | O_DIRECTORY);
    if (!now) return {};
    auto const b = now->status();
    if (a.st_dev == b.st_dev && a.st_ino == b.st_ino) return folder;
  }
}

}  // namespace detail::posix
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/posix/file_lock.ipp>
#endif
