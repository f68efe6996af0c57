// A whole file as memory: the system reads pages on access, so the file may be larger than memory.
#pragma once
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tessera/buffer/host_buffer.hpp>
#include <tessera/core/error.hpp>
#include <tessera/store/detail/posix/descriptor.hpp>

namespace cli {

/// Read only. Other processes may change the file meanwhile: where it became shorter, or its disk fails, the rest reads
/// as zeros, where the system would end the program with SIGBUS. So show nothing made from it before expect_unchanged()
/// has returned. Requires: one at a time.
class MappedFile {
 public:
  /// Throws: StoreError naming the file: `name`, if that differs from its path.
  explicit MappedFile(std::string const& path, std::string const& name = "")
      : path_{name.empty() ? path : name}, file_{::open(path.c_str(), flags)} {
    if (!file_) fail(std::strerror(errno));
    before_ = status();
    if (!S_ISREG(before_.st_mode)) fail("not a regular file");
    try {
      bytes_ = tessera::MappedBuffer{file_.number(), 0, static_cast<std::size_t>(before_.st_size)};
    } catch (tessera::StoreError& error) {
      error.in_store(path_);
      throw;
    }
    begin_ = reinterpret_cast<std::uintptr_t>(data());
    end_ = begin_ + size();
    is_lost_ = false;
    open_ = this;
    struct sigaction action {};
    action.sa_sigaction = put_zeros;
    action.sa_flags = static_cast<int>(SA_SIGINFO);
    ::sigaction(SIGBUS, &action, &sigbus_before_);
  }
  MappedFile(MappedFile const&) = delete;
  MappedFile& operator=(MappedFile const&) = delete;
  ~MappedFile() {
    ::sigaction(SIGBUS, &sigbus_before_, nullptr);
    open_ = nullptr;
  }

  std::byte const* data() const { return bytes_.view().data; }
  std::size_t size() const { return bytes_.view().size; }

  /// Pages read so far no longer count as this program's memory; they are read again on demand.
  void let_go() const {
    if (size() > 0 && !is_lost_) ::madvise(const_cast<std::byte*>(data()), size(), MADV_DONTNEED);
  }

  /// Throws: StoreError naming the file, if it changed since it was opened: the bytes read may be a mix that it never
  /// held.
  void expect_unchanged() const {
    auto const now = status();
    if (now.st_size < before_.st_size)
      fail(
          tessera::to_text({"it became shorter meanwhile: found ", now.st_size, " bytes, expected ", before_.st_size}));
    if (is_lost_) fail("what was there when it was opened cannot be read any more");
    if (now.st_size != before_.st_size || now.st_mtim.tv_sec != before_.st_mtim.tv_sec ||
        now.st_mtim.tv_nsec != before_.st_mtim.tv_nsec)
      fail("it changed meanwhile");
  }
  /// The same for the open file, if there is one.
  static void expect_open_one_unchanged() {
    if (open_) open_->expect_unchanged();
  }

 private:
  static constexpr int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;  // a named pipe would wait for its writer

  [[noreturn]] void fail(std::string const& problem) const {
    throw tessera::StoreError{"cannot read the file: " + problem}.in_store(path_);
  }
  struct stat status() const {
    struct stat info {};
    if (::fstat(file_.number(), &info) != 0) fail(std::strerror(errno));
    return info;
  }

  // The thread that accessed a lost page continues with zeros from there to the end.
  static void put_zeros(int number, siginfo_t* fault, void*) {
    auto const at = reinterpret_cast<std::uintptr_t>(fault->si_addr);
    auto const page = at - at % static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    if (at >= begin_ && at < end_ &&
        ::mmap(reinterpret_cast<void*>(page), end_ - page, PROT_READ,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED)
      is_lost_ = true;
    else
      ::signal(number, SIG_DFL);  // not ours: it is raised again, and ends the program
  }

  static inline std::atomic<std::uintptr_t> begin_{0}, end_{0};  // a handler can reach nothing else
  static inline std::atomic<bool> is_lost_{false};
  static inline MappedFile const* open_ = nullptr;

  std::string path_;
  tessera::detail::posix::Descriptor file_;
  struct stat before_ {};
  tessera::MappedBuffer bytes_;
  struct sigaction sigbus_before_ {};
};

}  // namespace cli
