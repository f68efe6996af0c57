// A whole file as memory: the system reads what is looked at, so that it may be larger than memory.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/core/error.hpp>

namespace cli {

/// Read only. Requires: nobody makes the file shorter meanwhile; the system ends programs that look beyond its end.
class MappedFile {
 public:
  /// Throws: StoreError naming the file.
  explicit MappedFile(std::string const& path) {
    auto const fail = [&](std::string const& problem) {
      throw tessera::StoreError{"cannot read the file: " + problem}.in_store(path);
    };
    struct Descriptor {
      int number;
      ~Descriptor() {
        if (number >= 0) ::close(number);
      }
    } const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};  // a named pipe would wait for its writer
    struct stat info {};
    if (file.number < 0 || ::fstat(file.number, &info) != 0) fail(std::strerror(errno));
    if (!S_ISREG(info.st_mode)) fail("not a regular file");
    size_ = static_cast<std::size_t>(info.st_size);
    if (size_ == 0) return;
    auto* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (mapped == MAP_FAILED) fail(std::strerror(errno));
    data_ = static_cast<std::byte*>(mapped);
  }
  MappedFile(MappedFile const&) = delete;
  MappedFile& operator=(MappedFile const&) = delete;
  ~MappedFile() {
    if (data_) ::munmap(data_, size_);
  }

  std::byte const* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// What was looked at so far counts as this program's memory no longer; it is read again where it is wanted again.
  void let_go() const {
    if (data_) ::madvise(data_, size_, MADV_DONTNEED);
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace cli
