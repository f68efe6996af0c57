#pragma once
#include <tessera/store/detail/posix/file_lock.hpp>

#include <cerrno>
#include <chrono>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <tessera/core/error.hpp>
#include <tessera/store/detail/posix/descriptor.hpp>
#include <tessera/store/detail/posix/folder.hpp>
#include <tessera/store/detail/waiting.hpp>

namespace tessera { inline namespace v0 { namespace detail { namespace posix {

TESSERA_DECL bool try_lock(int file, int how) {
  for (;;) {
    if (::flock(file, how | LOCK_NB) == 0) return true;
    if (errno == EINTR) continue;
    // EBADF: some network file systems lock only files open for writing.
    if (errno == EWOULDBLOCK || errno == EOPNOTSUPP || errno == ENOLCK || errno == EBADF || errno == ENOSYS ||
        errno == EINVAL)
      return false;
    fail("lock the file");
  }
}

TESSERA_DECL bool lock(int file, int how, Waiting const& waiting) {
  bool is_locked = false;
  std::optional<std::chrono::steady_clock::time_point> end;
  try_until_true(waiting.stop, [&] {
    is_locked = try_lock(file, how);
    if (is_locked || errno != EWOULDBLOCK) return true;
    if (!end) end = end_of(waiting.patience);
    if (std::chrono::steady_clock::now() < *end) return false;
    throw StoreError{to_text({"another process, or another store of this folder, has held the lock for ",
                              waiting.patience.count(), " s; LocalOptions::patience sets how long a call waits"})};
  });
  return is_locked;
}

TESSERA_DECL Locked& Locked::operator=(Locked&& other) noexcept {
  unlock();
  file_ = std::move(other.file_);
  return *this;
}

TESSERA_DECL void Locked::unlock() noexcept {
  if (!file_) return;
  auto const error = errno;  // of an earlier failure
  ::flock(file_.number(), LOCK_UN);
  errno = error;
  file_ = Descriptor{-1};
}

TESSERA_DECL bool is_same(struct stat const& a, struct stat const& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

TESSERA_DECL LockedFile LockedFile::take(int folder, char const* name, Waiting const* waiting) {
  for (int missed = 0;;) {
    LockedFile taken;
    Descriptor file{::openat(folder, name, read_only | O_NOFOLLOW)};
    struct stat now {};
    if (!file) {
      auto const error = errno;
      if (::fstatat(folder, name, &taken.was_, AT_SYMLINK_NOFOLLOW) == 0) {
        if (error == ENOENT && ++missed < 1000) continue;  // made meanwhile: lock it
        if (error == ENOENT || error == EMFILE || error == ENFILE) fail("open the file", error);
        taken.is_there_ = !S_ISDIR(taken.was_.st_mode);  // a link or an unreadable file has no lock
      } else if (errno != ENOENT && errno != ENOTDIR) {
        fail("look at the file");
      }
      return taken;
    }
    if (S_ISDIR(file.status().st_mode)) return taken;
    if (waiting)
      lock(file.number(), LOCK_EX, *waiting);
    else if (!try_lock(file.number(), LOCK_EX) && errno == EWOULDBLOCK)
      return taken;
    taken.file_ = Locked{std::move(file)};
    taken.was_ = taken.file_.descriptor().status();
    if (::fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) != 0 || !is_same(now, taken.was_)) continue;
    taken.is_there_ = true;
    return taken;
  }
}

TESSERA_DECL bool LockedFile::is_current(int folder, char const* name) const {
  struct stat now {};
  bool const found = ::fstatat(folder, name, &now, AT_SYMLINK_NOFOLLOW) == 0;
  return is_there_ ? found && is_same(now, was_) : !found || S_ISDIR(now.st_mode);
}

}}}}  // namespace tessera::v0::detail::posix
