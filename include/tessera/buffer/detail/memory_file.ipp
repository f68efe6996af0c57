#pragma once
#include <tessera/buffer/detail/memory_file.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL MemoryFile::MemoryFile(std::size_t size)
    : file_{::memfd_create("tessera", MFD_CLOEXEC | MFD_ALLOW_SEALING)} {
  auto const length = static_cast<off_t>(size);
  if (file_ < 0 || ::fchmod(file_, 0600) != 0 || ::ftruncate(file_, length) != 0 ||
      ::fcntl(file_, F_ADD_SEALS, size_seals | F_SEAL_SEAL) != 0)
    fail(to_text({"cannot allocate ", size, " bytes of shared memory"}));
  map(size, Access::write);
}

TESSERA_DECL MemoryFile::MemoryFile(int file, Access access) : file_{file} {
  struct stat info {};
  auto const seals = ::fcntl(file_, F_GET_SEALS);
  if (::fstat(file_, &info) != 0 || seals < 0) fail("the received descriptor is not a memory file");
  if ((seals & size_seals) != size_seals)
    fail("the received memory file is not sealed: its owner could shorten it", 0);
  map(checked_size(static_cast<std::uint64_t>(info.st_size), "the memory file"), access);
}

TESSERA_DECL int MemoryFile::open(Access access) const {
  auto const path = to_text({"/proc/self/fd/", file_});
  auto const opened = ::open(path.c_str(), (access == Access::write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (opened < 0) throw Error{to_text({"cannot open the shared memory again: ", std::strerror(errno)})};
  return opened;
}

TESSERA_DECL void MemoryFile::map(std::size_t size, Access access) {
  if (size == 0) return;
  auto* const pages =
      ::mmap(nullptr, size, access == Access::write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file_, 0);
  if (pages == MAP_FAILED) fail(to_text({"cannot map ", size, " bytes of shared memory"}));
  data_ = static_cast<std::byte*>(pages), size_ = size;
}

TESSERA_DECL void MemoryFile::fail(std::string const& what, int error) {
  close();
  throw Error{error == 0 ? what : to_text({what, ": ", std::strerror(error)})};
}

TESSERA_DECL void MemoryFile::close() noexcept {
  if (data_) ::munmap(data_, size_);
  if (file_ >= 0) ::close(file_);
  data_ = nullptr, size_ = 0, file_ = -1;
}

}}}  // namespace tessera::v0::detail
