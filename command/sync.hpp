// Files that shall survive a loss of power.
#pragma once
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>

#include <tessera/core/error.hpp>
#include <tessera/store/detail/posix/descriptor.hpp>

namespace cli {

/// Returns when the current names in a folder are on disk. An empty path is the command's working folder. Throws:
/// tessera::StoreError naming the folder.
inline void sync_folder(std::filesystem::path const& path) try {
  auto const folder = path.empty() ? std::filesystem::path{"."} : path;
  tessera::detail::posix::Descriptor const opened{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!opened) tessera::detail::posix::fail("open the folder");
  opened.sync();
} catch (tessera::StoreError& error) {
  error.in_store(path.string());
  throw;
}

}  // namespace cli
