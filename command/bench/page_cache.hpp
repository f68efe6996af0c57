// Evicts files from the system's page cache.
#pragma once
#include <cerrno>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace cli {

/// An open file, to be read.
class FileToRead {
 public:
  explicit FileToRead(std::string const& path) : descriptor_{::open(path.c_str(), O_RDONLY | O_CLOEXEC)} {}
  FileToRead(FileToRead const&) = delete;
  FileToRead& operator=(FileToRead const&) = delete;
  ~FileToRead() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  explicit operator bool() const { return descriptor_ >= 0; }
  int number() const { return descriptor_; }

 private:
  int descriptor_;
};

/// Asks the system to drop its cached pages of a file, which does not change. False: they are still cached, or that is
/// unknown.
inline bool evict(std::string const& path) {
  FileToRead const file{path};
  if (!file) return false;
  ::fdatasync(file.number());  // dirty pages stay
  ::posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED);
  struct stat status {};
  if (::fstat(file.number(), &status) == 0 && status.st_size == 0) return true;
  char byte;
  ::iovec const piece{&byte, 1};
  return ::preadv2(file.number(), &piece, 1, 0, RWF_NOWAIT) < 0 && errno == EAGAIN;
}

}  // namespace cli
