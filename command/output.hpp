// The destination of elements: a file that appears when it is complete, or the standard output.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

#include "output_file.hpp"

namespace cli {

/// "-" is the standard output. Throws: tessera::StoreError naming the file.
class Output {
 public:
  Output(std::string const& path, bool sync) {
    if (!is_standard(path)) file_.emplace(path, sync);
  }
  static bool is_standard(std::string const& path) { return path == "-"; }

  void write(void const* data, std::size_t size) {
    if (file_) return file_->write(data, size);
    auto const* at = static_cast<char const*>(data);
    while (size > 0) {
      auto const n = ::write(STDOUT_FILENO, at, size);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw tessera::StoreError{std::string{"cannot write to the standard output: "} + std::strerror(errno)};
      at += n;
      size -= static_cast<std::size_t>(n);
    }
  }
  void write(std::string_view text) { write(text.data(), text.size()); }

  void commit() {
    if (file_) file_->commit();
  }

 private:
  std::optional<OutputFile> file_;
};

}  // namespace cli
