// The system calls of the test program's own code, watched: the linker redirects them here (--wrap), so that one of
// them can fail on demand. Calls by libraries are not seen.
#pragma once
#include <cerrno>
#include <string>
#include <vector>

namespace test {

/// Watches from its beginning to its end. One at a time, in one thread.
class SystemCalls {
 public:
  SystemCalls();
  SystemCalls(SystemCalls const&) = delete;
  SystemCalls& operator=(SystemCalls const&) = delete;
  ~SystemCalls();

  /// The k-th call from now on (from 0) fails with this error; no other. `short_`: reads and writes do half instead.
  void fail(std::size_t k, int error);
  void halve(std::size_t k);

  std::vector<std::string> const& made() const;      ///< their names, those that failed included
  std::size_t count(std::string const& name) const;  ///< calls of that name
  bool has_failed() const;                           ///< whether the k-th was made
};

/// During its life, every openat2 fails, as on kernels without it.
struct NoOpenat2 {
  NoOpenat2();
  NoOpenat2(NoOpenat2 const&) = delete;
  NoOpenat2& operator=(NoOpenat2 const&) = delete;
  ~NoOpenat2();
};

}  // namespace test
