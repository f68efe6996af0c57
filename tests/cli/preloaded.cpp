// Loaded ahead of the C library: logs to the file $TESSERA_SYNC_LOG each sync to disk, "sync INODE", and each folder
// that gets or loses a name, "change INODE". With $TESSERA_NO_THREADS no thread can be started; with
// $TESSERA_NO_EXCHANGE no two names can be exchanged. With $TESSERA_KILLED_AT=N the program is killed at the Nth step,
// counted from 0: before a call that adds or removes a name, or when a call has written half of its bytes to a file.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

template <class F>
F* real(char const* name, F*) {
  return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

void note(char const* what, struct stat const& info) {
  auto const* path = std::getenv("TESSERA_SYNC_LOG");
  if (!path) return;
  char line[64];
  auto const size = std::snprintf(line, sizeof line, "%s %llu\n", what, static_cast<unsigned long long>(info.st_ino));
  auto const file = ::open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
  if (file < 0 || ::write(file, line, static_cast<std::size_t>(size)) != size) std::abort();
  ::close(file);
}

bool is_last_step() {
  static std::atomic<int> made{0};
  auto const* last = std::getenv("TESSERA_KILLED_AT");
  return last && made++ == std::atoi(last);
}

// Before each call that adds or removes a name.
void step() {
  if (is_last_step()) ::kill(::getpid(), SIGKILL);
}

// The folder of a path's name, relative to an open folder or to the program's working folder.
void note_change(int folder, char const* path) {
  auto const* slash = std::strrchr(path, '/');
  auto const above = slash ? std::string(path, slash + 1) : std::string{"."};
  struct stat info {};
  if (::fstatat(folder, above.c_str(), &info, 0) == 0) note("change", info);
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, pthread_attr_t const* attributes, void* (*run)(void*), void* argument) noexcept {
  if (std::getenv("TESSERA_NO_THREADS")) return EAGAIN;
  return real("pthread_create", &pthread_create)(thread, attributes, run, argument);
}

int fsync(int file) {
  auto const result = real("fsync", &fsync)(file);
  struct stat info {};
  if (result == 0 && ::fstat(file, &info) == 0) note("sync", info);
  return result;
}

ssize_t write(int file, void const* bytes, std::size_t size) {
  auto* const written = real("write", &write);
  if (file <= STDERR_FILENO || !is_last_step()) return written(file, bytes, size);
  written(file, bytes, size / 2);
  return ::kill(::getpid(), SIGKILL);
}

int rename(char const* from, char const* to) noexcept {
  step();
  auto const result = real("rename", &rename)(from, to);
  if (result == 0) note_change(AT_FDCWD, from), note_change(AT_FDCWD, to);
  return result;
}
int renameat(int from_folder, char const* from, int to_folder, char const* to) noexcept {
  step();
  auto const result = real("renameat", &renameat)(from_folder, from, to_folder, to);
  if (result == 0) note_change(from_folder, from), note_change(to_folder, to);
  return result;
}
int renameat2(int from_folder, char const* from, int to_folder, char const* to, unsigned flags) noexcept {
  if ((flags & RENAME_EXCHANGE) && std::getenv("TESSERA_NO_EXCHANGE")) return errno = EINVAL, -1;
  step();
  auto const result = real("renameat2", &renameat2)(from_folder, from, to_folder, to, flags);
  if (result == 0) note_change(from_folder, from), note_change(to_folder, to);
  return result;
}
int mkdir(char const* path, mode_t mode) noexcept {
  step();
  auto const result = real("mkdir", &mkdir)(path, mode);
  if (result == 0) note_change(AT_FDCWD, path);
  return result;
}
int mkdirat(int folder, char const* path, mode_t mode) noexcept {
  step();
  auto const result = real("mkdirat", &mkdirat)(folder, path, mode);
  if (result == 0) note_change(folder, path);
  return result;
}
int unlinkat(int folder, char const* path, int flags) noexcept {
  step();
  auto const result = real("unlinkat", &unlinkat)(folder, path, flags);
  if (result == 0 && !(flags & AT_REMOVEDIR)) note_change(folder, path);  // an empty folder may come back
  return result;
}

}  // extern "C"
