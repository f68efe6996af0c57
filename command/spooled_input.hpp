// The standard input as a file: input from a pipe is spooled to a file without a name.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <tessera/core/error.hpp>
#include <tessera/store/detail/posix/descriptor.hpp>

namespace cli {

/// Of any size: it is on disk, in $TMPDIR or /tmp, and removed with this.
class SpooledInput {
 public:
  /// Throws: tessera::StoreError.
  SpooledInput() {
    struct stat info {};
    if (::fstat(STDIN_FILENO, &info) != 0) throw tessera::StoreError{"it is closed"}.in_store(name);
    bool const is_file = S_ISREG(info.st_mode);
    if (is_file && ::lseek(STDIN_FILENO, 0, SEEK_CUR) == 0) return;  // all of it: `< file`
    auto const* folder = std::getenv("TMPDIR");
    auto unfinished = std::string{folder && *folder ? folder : "/tmp"} + "/tessera-XXXXXX";
    file_ = tessera::detail::posix::Descriptor{::mkostemp(unfinished.data(), O_CLOEXEC)};
    if (!file_) fail("cannot keep it in " + unfinished);
    ::unlink(unfinished.c_str());
    std::vector<std::byte> part(std::size_t{1} << 20);
    for (;;) {
      auto const size = ::read(STDIN_FILENO, part.data(), part.size());
      if (size == 0) return;
      if (size > 0) keep(part.data(), static_cast<std::size_t>(size));
      if (size < 0 && errno != EINTR) fail("cannot read it");
    }
  }

  /// A path that opens it.
  std::string path() const { return "/dev/fd/" + std::to_string(file_ ? file_.number() : STDIN_FILENO); }

  static constexpr auto name = "the standard input";

 private:
  [[noreturn]] static void fail(std::string const& problem) {
    throw tessera::StoreError{problem + ": " + std::strerror(errno)}.in_store(name);
  }
  void keep(std::byte const* at, std::size_t size) {
    while (size > 0) {
      auto const n = ::write(file_.number(), at, size);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail("cannot keep it on the disk");
      at += n;
      size -= static_cast<std::size_t>(n);
    }
  }

  tessera::detail::posix::Descriptor file_{-1};
};

}  // namespace cli
