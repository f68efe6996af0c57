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

#include <tessera/buffer/mapped_buffer.hpp>
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
    try {
      bytes_ = tessera::MappedBuffer{file.number, 0, static_cast<std::size_t>(info.st_size)};
    } catch (tessera::StoreError& error) {
      error.in_store(path);
      throw;
    }
  }

  std::byte const* data() const { return bytes_.view().data; }
  std::size_t size() const { return bytes_.view().size; }

  /// What was looked at so far counts as this program's memory no longer; it is read again where it is wanted again.
  void let_go() const {
    if (size() > 0) ::madvise(const_cast<std::byte*>(data()), size(), MADV_DONTNEED);
  }

 private:
  tessera::MappedBuffer bytes_;
};

}  // namespace cli
