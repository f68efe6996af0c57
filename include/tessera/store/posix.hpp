// The system calls of LocalStore, in one place: another platform is another header of this kind.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/core/error.hpp>

namespace tessera::inline v0 {
namespace detail::posix {

[[noreturn]] inline void fail(char const* doing, int error = errno) {
  throw StoreError{std::string{"cannot "} + doing + ": " + std::strerror(error)};
}

/// Root and key as one path, without allocation.
class Path {
 public:
  Path(std::string_view root, std::string_view key) {
    if (root.size() + key.size() + 2 > sizeof text_) throw StoreError{"the path is longer than the system allows"};
    auto* end = text_ + root.copy(text_, root.size());
    if (!key.empty()) *end++ = '/';
    end += key.copy(end, key.size());
    *end = '\0';
  }
  char const* c_str() const { return text_; }
  char* data() { return text_; }

 private:
  char text_[4096];
};

class File {
 public:
  explicit File(int descriptor) : descriptor_{descriptor} {}
  File(File&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}
  File& operator=(File&&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

  /// nullopt: there is no file of that name.
  static std::optional<File> open_to_read(Path const& path, std::uint64_t& size) {
    // O_NONBLOCK: opening a named pipe would wait for its writer.
    File file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (file.descriptor_ < 0) {
      if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
      fail("open the file");
    }
    struct stat info {};
    if (::fstat(file.descriptor_, &info) != 0) fail("look at the file");
    if (S_ISDIR(info.st_mode)) return std::nullopt;
    if (!S_ISREG(info.st_mode)) throw StoreError{"not a regular file"};
    size = static_cast<std::uint64_t>(info.st_size);
    return file;
  }

  void read(std::byte* to, std::size_t count, std::uint64_t offset) const {
    while (count > 0) {
      auto const n = ::pread(descriptor_, to, count, static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("read the file");
      if (n == 0) throw StoreError{"the file became shorter while it was read"};
      to += n;
      count -= static_cast<std::size_t>(n);
      offset += static_cast<std::uint64_t>(n);
    }
  }

  void write(std::byte const* from, std::size_t count) const {
    while (count > 0) {
      auto const n = ::write(descriptor_, from, count);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("write the file");
      from += n;
      count -= static_cast<std::size_t>(n);
    }
  }

  /// Errors of a delayed write show here.
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) fail("close the file");
  }

  bool is_open() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

/// Makes every folder above the last name of the path.
inline void make_folders(Path path, std::size_t root_size) {
  for (char* at = path.data() + 1; *at; ++at) {
    if (*at != '/') continue;
    *at = '\0';
    if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST && static_cast<std::size_t>(at - path.data()) >= root_size)
      fail("make the folder");
    *at = '/';
  }
}

/// Calls f(name, is_folder, size) for each file and folder in a folder; nothing, if there is no such folder. Links to
/// folders are passed over: they could lead in circles.
template <class F>
void each_in_folder(Path const& path, F&& f) {
  struct Folder {
    DIR* handle;
    ~Folder() {
      if (handle) ::closedir(handle);
    }
  } const folder{::opendir(path.c_str())};
  if (!folder.handle) {
    if (errno == ENOENT || errno == ENOTDIR) return;
    fail("list the folder");
  }
  for (;;) {
    errno = 0;
    auto const* entry = ::readdir(folder.handle);
    if (!entry) {
      if (errno != 0) fail("list the folder");
      return;
    }
    std::string_view const name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat info {};
    auto const at = ::dirfd(folder.handle);
    if (::fstatat(at, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;  // gone since
    bool const is_folder = S_ISDIR(info.st_mode);
    if (S_ISLNK(info.st_mode) && ::fstatat(at, entry->d_name, &info, 0) != 0) continue;
    if (is_folder || S_ISREG(info.st_mode)) f(name, is_folder, static_cast<std::uint64_t>(info.st_size));
  }
}

}  // namespace detail::posix
}  // namespace tessera::inline v0
