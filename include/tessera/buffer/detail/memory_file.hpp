// MemoryFile: a nameless file that several processes map; the kernel frees it after the last close and unmap.
#pragma once
#include <cerrno>
#include <cstddef>
#include <string>

#include <fcntl.h>

namespace tessera { inline namespace v0 { namespace detail {

/// A memory file and its mapping. Its size is sealed, so that no process can shorten it and end others by SIGBUS.
/// Having no name, it needs no unlinking and follows no links.
class MemoryFile {
 public:
  enum class Access { read, write };

  /// A new file of zeros, mode 0600, mapped for writing. Requires: size > 0. Throws: Error.
  explicit MemoryFile(std::size_t size);
  /// A file that another process made. Takes over the open descriptor. Throws: Error, if it is no memory file of sealed
  /// size, or cannot be mapped with this access.
  MemoryFile(int file, Access access);
  MemoryFile(MemoryFile const&) = delete;
  MemoryFile& operator=(MemoryFile const&) = delete;
  ~MemoryFile() { close(); }

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

  /// A new descriptor, owned by the caller, that can be mapped with this access only. Throws: Error.
  int open(Access access) const;

 private:
  static constexpr int size_seals = F_SEAL_SHRINK | F_SEAL_GROW;

  void map(std::size_t size, Access access);
  [[noreturn]] void fail(std::string const& what, int error = errno);
  void close() noexcept;

  int file_ = -1;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/buffer/detail/memory_file.ipp>
#endif
