// ZipWriter: a new zip file under a hidden name, until it gets its own. Values may be written by several threads.
#pragma once
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if !__has_include(<libdeflate.h>)
#error "tessera/with/writable_zip.hpp needs libdeflate: on Debian or Ubuntu, apt install libdeflate-dev"
#endif
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/core/detail/function_ref.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/store/detail/posix/descriptor.hpp>
#include <tessera/store/detail/posix/unfinished.hpp>
#include <tessera/with/detail/zip/zip_records.hpp>

namespace tessera { inline namespace v0 { namespace detail {

class ZipWriter {
 public:
  /// For a file of that name, in a folder that exists. Throws: StoreError.
  explicit ZipWriter(std::string const& path) : path_{path}, file_{-1} {
    auto const folder = std::filesystem::path{path}.parent_path();
    for (unsigned number = 0; !file_; ++number) {
      hidden_ = folder / to_text({posix::unfinished_prefix, process_, "-", number});
      file_ = posix::Descriptor{::open(hidden_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
      if (!file_ && errno != EEXIST) posix::fail("make a file");
      if (!file_) continue;
      ::flock(file_.number(), LOCK_EX | LOCK_NB);  // a hidden file without a lock was left by a writer that ended
      if (file_.status().st_nlink == 0) file_ = posix::Descriptor{-1};  // and was taken for one until now
    }
  }
  ZipWriter(ZipWriter const&) = delete;
  ZipWriter& operator=(ZipWriter const&) = delete;
  ~ZipWriter() {
    if (file_ && is_of_this_process()) ::unlink(hidden_.c_str());
  }

  /// False in a child of fork(), which must not use it.
  bool is_of_this_process() const { return process_ == ::getpid(); }

  /// Writes a value as it is. Thread-safe. Throws: StoreError; then the file has bytes that no record names.
  ZipRecord add(std::string name, ByteView<space::Host> value) {
    auto record = begun({.name = std::move(name),
                         .checksum = ::libdeflate_crc32(0, value.data, value.size),
                         .stored = value.size,
                         .size = value.size});
    write(value, data_of(record));
    return record;
  }
  /// Writes the local header of a value whose bytes follow by `write`, from `data_of` on.
  ZipRecord begun(ZipRecord record) {
    auto const header = zip_local_header(record);
    record.offset = end_.fetch_add(header.size() + record.stored);
    write(bytes_of(header), record.offset);
    return record;
  }
  static std::uint64_t data_of(ZipRecord const& record) {
    return record.offset + zip_local_header(record).size();
  }
  void write(ByteView<space::Host> bytes, std::uint64_t offset) {
    while (bytes.size > 0) {
      auto const n = ::pwrite(file_.number(), bytes.data, bytes.size, static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) posix::fail("write the zip file");
      bytes = bytes.sub(static_cast<std::size_t>(n), bytes.size - static_cast<std::size_t>(n));
      offset += static_cast<std::uint64_t>(n);
    }
  }
  posix::Descriptor const& file() const { return file_; }

  /// Writes the directory, in that order, and gives the file its name: until then the old file stays. `before`: called
  /// with the whole file's hidden name. `replaces`: also a file that has the name. Requires: no other thread uses
  /// *this. Throws: StoreError, exceptions of `before`; then it may be called again.
  void finish(std::vector<ZipRecord const*> const& records, std::string_view comment, bool sync, bool replaces,
              FunctionRef<void(std::string const&)> before) {
    auto const offset = end_.load();
    std::string directory;
    for (auto const* record : records) directory += zip_directory_entry(*record);
    directory += zip_end(records.size(), directory.size(), offset, comment);
    write(bytes_of(directory), offset);
    if (::ftruncate(file_.number(), static_cast<off_t>(offset + directory.size())) != 0) posix::fail("end the zip file");
    if (sync) file_.sync();
    posix::Descriptor closing{::fcntl(file_.number(), F_DUPFD_CLOEXEC, 0)};  // keeps the lock
    if (!closing) posix::fail("close the zip file");
    posix::close(closing);
    before(hidden_.string());
    struct stat old {};
    if (replaces && ::stat(path_.c_str(), &old) == 0) ::fchmod(file_.number(), old.st_mode & 07777);
    if (replaces ? ::rename(hidden_.c_str(), path_.c_str()) != 0 : !rename_new()) posix::fail("rename the zip file");
    file_ = posix::Descriptor{-1};
  }
  /// Returns when the file's name will survive a loss of power.
  static void sync_name(std::string const& path) {
    auto const above = std::filesystem::path{path}.parent_path();
    posix::Descriptor const folder{::open(above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (!folder) posix::fail("synchronise the folder");
    folder.sync();
  }

 private:
  // Unless a file has the name by now.
  bool rename_new() const {
    if (::link(hidden_.c_str(), path_.c_str()) == 0) return ::unlink(hidden_.c_str()) == 0;
    return errno != EEXIST && ::access(path_.c_str(), F_OK) != 0 && ::rename(hidden_.c_str(), path_.c_str()) == 0;
  }
  static ByteView<space::Host> bytes_of(std::string const& text) {
    return {reinterpret_cast<std::byte const*>(text.data()), text.size()};
  }

  std::string path_;
  ::pid_t const process_ = ::getpid();
  std::filesystem::path hidden_;
  posix::Descriptor file_;
  std::atomic<std::uint64_t> end_{0};  // of the values
};

}}}  // namespace tessera::v0::detail
