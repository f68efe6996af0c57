// The system calls of the test program's own code, watched: the linker redirects them here (--wrap), so that one of
// them can fail on demand. Calls by libraries are not seen.
#pragma once
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <string>
#include <vector>

namespace test {

struct WatchedCalls {
  bool on = false, failed = false, half = false;
  std::size_t left = ~std::size_t{0};  // calls until the one that fails
  int error = 0;
  std::vector<std::string> made{};
};

/// Watches from its beginning to its end. One at a time, in one thread.
class SystemCalls {
 public:
  SystemCalls() {
    watch = {};
    watch.on = true;
  }
  SystemCalls(SystemCalls const&) = delete;
  SystemCalls& operator=(SystemCalls const&) = delete;
  ~SystemCalls() { watch = {}; }

  /// The k-th call from now on (from 0) fails with this error; no other. `halve`: reads and writes do half instead.
  void fail(std::size_t k, int error) { watch.left = k, watch.error = error; }
  void halve(std::size_t k) { watch.left = k, watch.half = true; }

  std::vector<std::string> const& made() const { return watch.made; }  ///< their names, those that failed included
  std::size_t count(std::string const& name) const {                   ///< calls of that name
    return static_cast<std::size_t>(std::ranges::count(watch.made, name));
  }
  bool has_failed() const { return watch.failed; }  ///< whether the k-th was made

  // For the hooks, each in the folder of the program that is watched.

  /// Whether this call is the one to fail, with errno.
  static bool fails(char const* name) {
    if (!watch.on) return false;
    watch.made.emplace_back(name);
    if (watch.left-- != 0) return false;
    watch.failed = true;
    if (watch.half) return false;
    errno = watch.error;
    return true;
  }
  /// How much of `size` a call shall do.
  static std::size_t part(std::size_t size) {
    return watch.on && watch.half && watch.failed && watch.left == ~std::size_t{0} ? (size + 1) / 2 : size;
  }
  /// The error of the call that fails.
  static int error() { return watch.error; }

 private:
  static inline WatchedCalls watch{};
};

/// During its life, every openat2 fails, as on kernels without it.
struct NoOpenat2 {
  NoOpenat2();
  NoOpenat2(NoOpenat2 const&) = delete;
  NoOpenat2& operator=(NoOpenat2 const&) = delete;
  ~NoOpenat2();
};

}  // namespace test
