// The system calls that LocalStore makes are in this folder: another platform is another such folder. Here: open files.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

[[noreturn]] inline void fail(char const* doing, int error = errno) {
  throw StoreError{text({"cannot ", doing, ": ", std::strerror(error)})};
}

/// An open file or folder: a descriptor that is closed with it, unless it is lent. Empty if negative.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_{number} {}
  /// Somebody else closes it.
  static Descriptor lent(int number) {
    Descriptor lent{number};
    lent.is_lent_ = true;
    return lent;
  }
  Descriptor(Descriptor&& other) noexcept : number_{other.release()}, is_lent_{other.is_lent_} {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    std::swap(is_lent_, other.is_lent_);
    return *this;
  }
  ~Descriptor() {
    if (number_ < 0 || is_lent_) return;
    auto const error = errno;  // of what failed before
    ::close(number_);
    errno = error;
  }

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

  struct stat status() const {
    struct stat info {};
    if (::fstat(number_, &info) != 0) fail("look at the file");
    return info;
  }

  /// Returns when what was written will outlast a loss of power.
  void sync() const {
    if (::fsync(number_) != 0) fail("synchronise with the disk");
  }

 private:
  int number_;
  bool is_lent_ = false;
};

using Piece = iovec;  ///< memory, and how much of it

/// Fills the parts, one after the other, with the bytes of the file that begin at `offset`.
inline void read(Descriptor const& file, std::span<Piece> parts, std::uint64_t offset) {
  for (;;) {
    while (!parts.empty() && parts.front().iov_len == 0) parts = parts.subspan(1);
    if (parts.empty()) return;
    auto const n =
        parts.size() == 1
            ? ::pread(file.number(), parts[0].iov_base, parts[0].iov_len, static_cast<off_t>(offset))
            : ::preadv(file.number(), parts.data(), static_cast<int>(parts.size()), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read the file");
    if (n == 0) throw StoreError{"the file became shorter while it was read"};
    offset += static_cast<std::uint64_t>(n);
    for (auto left = static_cast<std::size_t>(n); left > 0; parts = parts.subspan(parts.front().iov_len == 0)) {
      auto& part = parts.front();
      auto const done = left < part.iov_len ? left : part.iov_len;
      part.iov_base = static_cast<std::byte*>(part.iov_base) + done;
      part.iov_len -= done;
      left -= done;
    }
  }
}

inline void write(Descriptor const& file, std::byte const* from, std::size_t count) {
  while (count > 0) {
    auto const n = ::write(file.number(), from, count);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write the file");
    from += n;
    count -= static_cast<std::size_t>(n);
  }
}

/// Errors of a delayed write show here.
inline void close(Descriptor& file) {
  if (::close(file.release()) != 0) fail("close the file");
}

}  // namespace detail::posix

}}  // namespace tessera::v0
