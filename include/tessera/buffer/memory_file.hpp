// Memory that several processes map: a file without a name, which the kernel frees when nobody has it open or mapped.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/core/checked.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A memory file and where it is mapped. Its size is sealed: whoever maps it can rely on it, because no process can
/// shorten the file and so end others by SIGBUS. Having no name, it needs no unlinking and follows no links.
class MemoryFile {
 public:
  enum class Access { read, write };

  MemoryFile() = default;
  /// A new one of zeros, mode 0600, mapped to be written. Requires: size > 0. Throws: Error.
  explicit MemoryFile(std::size_t size) : file_{::memfd_create("tessera", MFD_CLOEXEC | MFD_ALLOW_SEALING)} {
    auto const length = static_cast<off_t>(size);
    if (file_ < 0 || ::fchmod(file_, 0600) != 0 || ::ftruncate(file_, length) != 0 ||
        ::fcntl(file_, F_ADD_SEALS, size_seals | F_SEAL_SEAL) != 0)
      fail(text({"cannot allocate ", size, " bytes of shared memory"}));
    map(size, Access::write);
  }
  /// One that another process made: an open descriptor, which this takes. Throws: Error, if it is no memory file whose
  /// size is sealed, or may not be mapped like that.
  MemoryFile(int file, Access access) : file_{file} {
    struct stat info {};
    auto const seals = ::fcntl(file_, F_GET_SEALS);
    if (::fstat(file_, &info) != 0 || seals < 0) fail("the descriptor that was received is no memory file");
    if ((seals & size_seals) != size_seals)
      fail("the memory file that was received is not sealed: its owner could shorten it", 0);
    map(checked_size(static_cast<std::uint64_t>(info.st_size), "the memory file"), access);
  }
  MemoryFile(MemoryFile&& other) noexcept { swap(other); }
  MemoryFile& operator=(MemoryFile&& other) noexcept {
    MemoryFile before;
    swap(before), swap(other);
    return *this;
  }
  ~MemoryFile() { close(); }

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// A descriptor of its own, of the caller's, which can be mapped with this access alone. Throws: Error.
  int open(Access access) const {
    auto const path = text({"/proc/self/fd/", file_});
    auto const opened = ::open(path.c_str(), (access == Access::write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (opened < 0) throw Error{text({"cannot open the shared memory again: ", std::strerror(errno)})};
    return opened;
  }

 private:
  static constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;

  void map(std::size_t size, Access access) {
    if (size == 0) return;
    auto* const pages =
        ::mmap(nullptr, size, access == Access::write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file_, 0);
    if (pages == MAP_FAILED) fail(text({"cannot map ", size, " bytes of shared memory"}));
    data_ = static_cast<std::byte*>(pages), size_ = size;
  }
  [[noreturn]] void fail(std::string const& what, int error = errno) {
    close();
    throw Error{error == 0 ? what : text({what, ": ", std::strerror(error)})};
  }
  void close() noexcept {
    if (data_) ::munmap(data_, size_);
    if (file_ >= 0) ::close(file_);
    data_ = nullptr, size_ = 0, file_ = -1;
  }
  void swap(MemoryFile& other) noexcept {
    std::swap(file_, other.file_), std::swap(data_, other.data_), std::swap(size_, other.size_);
  }

  int file_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}}}  // namespace tessera::v0::detail
