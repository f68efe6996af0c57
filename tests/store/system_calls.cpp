// The hooks behind support/system_calls.hpp. Each name here is also in tests/CMakeLists.txt, for the linker.
#include <cstdarg>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <support/system_calls.hpp>

namespace {

bool no_openat2 = false;

bool fails(char const* name) { return test::SystemCalls::fails(name); }
std::size_t part(std::size_t size) { return test::SystemCalls::part(size); }

}  // namespace

test::NoOpenat2::NoOpenat2() { no_openat2 = true; }
test::NoOpenat2::~NoOpenat2() { no_openat2 = false; }

extern "C" {

#define TESSERA_TEST_REAL(result, name, ...) \
  result __real_##name(__VA_ARGS__);         \
  result __wrap_##name(__VA_ARGS__)

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  auto const folder = va_arg(arguments, int);
  auto* const path = va_arg(arguments, char const*);
  auto* const how = va_arg(arguments, void const*);
  auto const size = va_arg(arguments, std::size_t);
  va_end(arguments);
  if (no_openat2) return errno = ENOSYS, -1;
  return fails("openat2") ? -1 : __real_syscall(number, folder, path, how, size);
}
int __real_open(char const* path, int flags, ...);
int __wrap_open(char const* path, int flags, ...);
int __wrap_open(char const* path, int flags, ...) { return fails("open") ? -1 : __real_open(path, flags); }
int __real_openat(int folder, char const* path, int flags, ...);
int __wrap_openat(int folder, char const* path, int flags, ...);
int __wrap_openat(int folder, char const* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  auto const mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
  va_end(arguments);
  return fails("openat") ? -1 : __real_openat(folder, path, flags, mode);
}
// A closed file stays closed, whatever close returns.
TESSERA_TEST_REAL(int, close, int file) {
  auto const fail = fails("close");
  auto const result = __real_close(file);
  if (!fail) return result;
  errno = test::SystemCalls::error();
  return -1;
}
TESSERA_TEST_REAL(int, fstat, int file, struct stat* info) { return fails("fstat") ? -1 : __real_fstat(file, info); }
TESSERA_TEST_REAL(int, fstatat, int folder, char const* path, struct stat* info, int flags) {
  return fails("fstatat") ? -1 : __real_fstatat(folder, path, info, flags);
}
TESSERA_TEST_REAL(int, lstat, char const* path, struct stat* info) {
  return fails("lstat") ? -1 : __real_lstat(path, info);
}
TESSERA_TEST_REAL(ssize_t, pread, int file, void* to, std::size_t size, off_t offset) {
  return fails("pread") ? -1 : __real_pread(file, to, part(size), offset);
}
TESSERA_TEST_REAL(ssize_t, preadv, int file, iovec const* parts, int count, off_t offset) {
  if (fails("preadv")) return -1;
  std::vector<iovec> some{parts, parts + part(static_cast<std::size_t>(count))};
  if (some.size() < static_cast<std::size_t>(count)) some.back().iov_len = (some.back().iov_len + 1) / 2;
  return __real_preadv(file, some.data(), static_cast<int>(some.size()), offset);
}
TESSERA_TEST_REAL(ssize_t, write, int file, void const* from, std::size_t size) {
  return fails("write") ? -1 : __real_write(file, from, part(size));
}
TESSERA_TEST_REAL(int, flock, int file, int how) { return fails("flock") ? -1 : __real_flock(file, how); }
TESSERA_TEST_REAL(int, ftruncate, int file, off_t size) {
  return fails("ftruncate") ? -1 : __real_ftruncate(file, size);
}
TESSERA_TEST_REAL(int, fsync, int file) { return fails("fsync") ? -1 : __real_fsync(file); }
TESSERA_TEST_REAL(int, mkdir, char const* path, mode_t mode) { return fails("mkdir") ? -1 : __real_mkdir(path, mode); }
TESSERA_TEST_REAL(int, mkdirat, int folder, char const* path, mode_t mode) {
  return fails("mkdirat") ? -1 : __real_mkdirat(folder, path, mode);
}
TESSERA_TEST_REAL(int, renameat, int from_folder, char const* from, int to_folder, char const* to) {
  return fails("renameat") ? -1 : __real_renameat(from_folder, from, to_folder, to);
}
TESSERA_TEST_REAL(int, renameat2, int from_folder, char const* from, int to_folder, char const* to, unsigned how) {
  return fails("renameat2") ? -1 : __real_renameat2(from_folder, from, to_folder, to, how);
}
TESSERA_TEST_REAL(int, unlinkat, int folder, char const* path, int flags) {
  return fails("unlinkat") ? -1 : __real_unlinkat(folder, path, flags);
}
TESSERA_TEST_REAL(DIR*, fdopendir, int folder) { return fails("fdopendir") ? nullptr : __real_fdopendir(folder); }
TESSERA_TEST_REAL(dirent*, readdir, DIR* folder) { return fails("readdir") ? nullptr : __real_readdir(folder); }
TESSERA_TEST_REAL(void*, mmap, void* at, std::size_t size, int protection, int flags, int file, off_t offset) {
  return fails("mmap") ? MAP_FAILED : __real_mmap(at, size, protection, flags, file, offset);
}
}
