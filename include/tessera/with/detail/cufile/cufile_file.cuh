// cufile::File and Files: registered files; a store keeps those used last open.
#pragma once
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

#include <tessera/store/detail/posix/descriptor.hpp>
#include <tessera/with/detail/cufile/cufile_driver.cuh>

namespace tessera { inline namespace v0 {
namespace cufile {

/// Opens an open file again, by its inode, whatever has its name now. Empty: errno says why.
inline detail::posix::Descriptor open_again(detail::posix::Descriptor const& file, int flags) {
  auto const path = to_text({"/proc/self/fd/", file.number()});
  return detail::posix::Descriptor{::open(path.c_str(), flags | O_CLOEXEC)};
}

/// Opened without the system's cache, and registered.
class File {
 public:
  /// `access`: O_RDONLY or O_WRONLY.
  File(std::shared_ptr<Driver> driver, detail::posix::Descriptor const& file, int access)
      : driver_{std::move(driver)}, descriptor_{open_again(file, access | O_DIRECT)} {
    if (!descriptor_) {
      why_not_ = to_text({"the file cannot be opened with O_DIRECT: ", std::strerror(errno)});
      return;
    }
    CUfileDescr_t description{};
    description.type = CU_FILE_HANDLE_TYPE_OPAQUE_FD;
    description.handle.fd = descriptor_.number();
    auto const registered = driver_->register_file(&handle_, &description);
    if (registered.err != CU_FILE_SUCCESS) {
      handle_ = nullptr;
      why_not_ = described(registered, "cuFileHandleRegister");
    }
  }
  File(File const&) = delete;
  File& operator=(File const&) = delete;
  ~File() {
    if (handle_) driver_->deregister_file(handle_);
  }

  /// Why cuFile cannot use the file; empty: it can.
  std::string const& why_not() const { return why_not_; }
  CUfileHandle_t handle() const { return handle_; }
  detail::posix::Descriptor const& descriptor() const { return descriptor_; }

 private:
  std::shared_ptr<Driver> driver_;
  detail::posix::Descriptor descriptor_;
  CUfileHandle_t handle_ = nullptr;
  std::string why_not_;
};

/// Files for reading. For any thread. Opening a file closes those that have no name any more.
class Files {
 public:
  static constexpr std::size_t most = 64;  ///< files that stay open

  std::shared_ptr<File const> find(std::shared_ptr<Driver> const& driver, detail::posix::Descriptor const& file) {
    auto const info = file.status();
    std::lock_guard const lock{mutex_};
    auto const is_it = [&](Known const& known) { return known.device == info.st_dev && known.inode == info.st_ino; };
    auto const found = std::find_if(files_.begin(), files_.end(), is_it);
    if (found != files_.end()) {
      std::rotate(files_.begin(), found, found + 1);
      return files_.front().file;
    }
    std::erase_if(files_, [](Known const& known) { return known.file->descriptor().status().st_nlink == 0; });
    if (files_.size() >= most) files_.pop_back();
    auto made = std::make_shared<File const>(driver, file, O_RDONLY);
    if (made->why_not().empty()) files_.insert(files_.begin(), {info.st_dev, info.st_ino, made});
    return made;
  }

 private:
  struct Known {
    dev_t device;
    ino_t inode;  // unique while the file is open
    std::shared_ptr<File const> file;
  };
  std::mutex mutex_;
  std::vector<Known> files_;  // the last used first
};

}  // namespace cufile
}}  // namespace tessera::v0
