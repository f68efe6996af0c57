// A file that appears only when it is complete.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <tessera/core/error.hpp>

#include "sync.hpp"

namespace cli {

/// Written under a temporary name beside it; commit() renames it. Throws: tessera::StoreError naming the file.
class OutputFile {
 public:
  /// `sync`: it survives a loss of power once commit() has returned.
  OutputFile(std::string path, bool sync) : path_{std::move(path)}, sync_{sync} {
    auto const name = path_.rfind('/') + 1;  // 0, if there is no folder
    for (int i = 0; file_ < 0; ++i) {
      unfinished_ = path_.substr(0, name) + ".tessera-" + std::to_string(::getpid()) + '-' + std::to_string(i);
      file_ = ::open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (file_ < 0 && errno != EEXIST) fail();
      held_ = tessera::detail::posix::Descriptor{::fcntl(file_, F_DUPFD_CLOEXEC, 0)};
      if (held_) ::flock(held_.number(), LOCK_EX);  // other processes leave a locked file alone
    }
  }
  OutputFile(OutputFile const&) = delete;
  OutputFile& operator=(OutputFile const&) = delete;
  ~OutputFile() {
    if (file_ >= 0) ::close(file_);
    if (!unfinished_.empty()) ::unlink(unfinished_.c_str());
  }

  void write(void const* data, std::size_t size) {
    auto const* at = static_cast<char const*>(data);
    while (size > 0) {
      auto const n = ::write(file_, at, size);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) fail();
      at += n;
      size -= static_cast<std::size_t>(n);
    }
  }
  void write(std::string_view text) { write(text.data(), text.size()); }

  void commit() {
    if (sync_ && ::fsync(file_) != 0) fail();
    auto const file = file_;
    file_ = -1;
    if (::close(file) != 0) fail();  // errors of a delayed write show here
    if (::rename(unfinished_.c_str(), path_.c_str()) != 0) fail();
    unfinished_.clear();
    if (sync_) sync_folder(path_.substr(0, path_.rfind('/') + 1));
  }

 private:
  [[noreturn]] void fail() const {
    throw tessera::StoreError{path_ + ": cannot write the file: " + std::strerror(errno)};
  }

  std::string path_, unfinished_;
  bool sync_;
  int file_ = -1;
  tessera::detail::posix::Descriptor held_{-1};  // until it has its final name
};

}  // namespace cli
