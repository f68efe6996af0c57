// The prologue and epilogue of every function of the runtime: the lock, existing errors, an injected failure, the log.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include <emulation/emulation.hpp>

#include "contexts.hpp"
#include "world.hpp"

namespace emulation {

/// The meaning of a failure before the work, injected or sticky, for a function.
enum class Role : std::uint8_t {
  work,     ///< the work is not done
  release,  ///< the work is still done: a real runtime reports errors of earlier work there
  order,    ///< the work is not done; waits, events and synchronisations, which the mutation test leaves out
  device,   ///< the work is not done; but a dead context does not stop it
  driver,   ///< the work is not done; a driver function, which has no last error and makes no context
  sure,     ///< it cannot fail
};

/// One call of the runtime, from its beginning to its end.
class Entry {
 public:
  Entry(char const* name, Role role, void* caller);
  Entry(Entry const&) = delete;
  Entry& operator=(Entry const&) = delete;
  ~Entry();

  /// Whether the call ends here, with result().
  bool ends() const { return ends_; }
  cudaError_t result() const { return result_; }
  /// The return value of the call for this result of its work. Becomes the thread's last error.
  cudaError_t end(cudaError_t work);

  char const* name() const { return name_; }
  void* caller() const { return caller_; }
  void tell_bytes(std::size_t bytes);
  void tell_kind(cudaMemcpyKind kind);
  void tell_stream(Stream const& stream);
  void tell_spins(bool spins);

 private:
  Call* call();  ///< in the log, if it is kept

  char const* name_;
  Role role_;
  void* caller_;
  bool locked_ = false;
  bool ends_ = false;
  cudaError_t result_ = cudaSuccess;
  std::size_t logged_ = 0;
  std::uint64_t log_ = 0;  ///< which log; 0: none
};

/// Runs `body(entry)` as the function `name`.
template <class Body>
cudaError_t enter(char const* name, Role role, Body&& body, void* caller = __builtin_return_address(0)) {
  Entry entry(name, role, caller);
  if (entry.ends()) return entry.result();
  return entry.end(std::forward<Body>(body)(entry));
}

/// The calling thread's last error.
cudaError_t& last_error();

/// The device's context is dead from now on: every call returns that error, and queued work is dropped.
void kill_context(int device, cudaError_t error);
/// Destroys all objects of the device's context; their handles and addresses are known as destroyed. The device is as
/// new.
void end_context(int device);
/// Whether the error is one that kills a context.
bool is_sticky(cudaError_t error);

/// The stream of a handle, the legacy one of the current device for 0; null if there is none.
Stream* find_stream(cudaStream_t handle);
Stream& make_stream(int device, unsigned flags, int priority, void* caller, cudaStream_t* handle);

}  // namespace emulation
