// Descriptor: an open file or folder. All system calls of LocalStore are in this folder: other platforms replace it.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

[[noreturn]] TESSERA_DECL void fail(char const* doing, int error = errno);

/// An open file or folder, closed on destruction unless it is lent. Negative: empty.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_{number} {}
  /// The owner of `number` closes it.
  static Descriptor lent(int number);
  Descriptor(Descriptor&& other) noexcept : number_{other.release()}, is_lent_{other.is_lent_} {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

  struct stat status() const;

  /// Returns when the written data will survive a loss of power.
  void sync() const {
    if (::fsync(number_) != 0) fail("synchronise with the disk");
  }

 private:
  int number_;
  bool is_lent_ = false;
};

using Piece = iovec;  ///< memory, and its size

/// Fills the parts in order with the bytes of the file from `offset` on.
TESSERA_DECL void read(Descriptor const& file, std::span<Piece> parts, std::uint64_t offset);
TESSERA_DECL void write(Descriptor const& file, std::byte const* from, std::size_t count);

/// Reports errors of delayed writes.
inline void close(Descriptor& file) {
  if (::close(file.release()) != 0) fail("close the file");
}

}  // namespace detail::posix

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/posix/descriptor.ipp>
#endif
