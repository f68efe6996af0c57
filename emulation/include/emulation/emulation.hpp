// Test interface of the emulated CUDA runtime: the machine, failures to inject, calls received, findings. Programs use
// the runtime itself through <cuda_runtime_api.h> of include/, as they use the toolkit's.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime_api.h>

namespace emulation {

/// The emulation's own, and its CMake project's, which reads this line.
inline constexpr std::string_view version = "0.1.0";

/// The machine. Requires, when it is set: nothing is allocated, no stream and no event exists (leaks are reported).
struct Machine {
  int devices = 1;
  bool peers = false;                              ///< whether devices can access each other's memory
  std::size_t memory = std::size_t{1} << 30;       ///< bytes, of each device
  std::size_t page_locked = std::size_t{1} << 30;  ///< bytes that can be page-locked
  bool pools = true;               ///< whether there are memory pools (cudaDevAttrMemoryPoolsSupported)
  bool concurrent_managed = true;  ///< cudaDevAttrConcurrentManagedAccess; without it, an access by the host is a fault
                                   ///< from a kernel's launch until a wait or a query has shown its end
  std::uint32_t meant = ~std::uint32_t{0};  ///< bit d: device d; a context made on another is reported, with its call
};
/// The default is `Machine{}`, with the devices of the environment variable TESSERA_EMULATION_DEVICES.
void set(Machine const& machine);

/// Whether the program has a context on the device: some 500 MiB of a GPU's memory. A call that needs one makes it on
/// the thread's current device, unless a context is current there; `cudaSetDevice` makes one too.
bool has_context(int device);

/// When streams run their operations. Seeds below 16 give every combination of early and late to the next four streams
/// (bit i of the seed: stream i is late), including the legacy stream if it is used; larger ones draw for each
/// operation. The fifth stream is as the first, and so on. Early: as soon as the rules allow. Late: when a call waits
/// for it, or has queried it three times. The environment variable TESSERA_EMULATION_SEED sets the first.
void seed(std::uint64_t value);

/// A call of the runtime, in the order of the calls.
struct Call {
  char const* name;       ///< "cudaMemcpyAsync"
  std::size_t bytes = 0;  ///< copied, set or allocated
  cudaMemcpyKind kind{};  ///< of a copy: the actual kind, never cudaMemcpyDefault
  int stream = -1;        ///< the stream's number in the order of creation; -1: none
  cudaError_t result{};
  bool spins = false;     ///< a busy wait: not for an event with cudaEventBlockingSync
  std::vector<void*> site;  ///< return addresses, the innermost first; empty unless sites are recorded
};

/// Records calls from its beginning to its end. May be nested.
class Watch {
 public:
  Watch();
  Watch(Watch const&) = delete;
  Watch& operator=(Watch const&) = delete;
  ~Watch();

  std::vector<Call> calls() const;
  std::size_t count() const;                       ///< all calls except queries (see `is_query`)
  std::size_t count(std::string_view name) const;  ///< calls of that name
  std::size_t copies(cudaMemcpyKind kind) const;   ///< how many copies of that kind
  std::size_t copied(cudaMemcpyKind kind) const;   ///< how many bytes by copies of that kind
  std::size_t launches() const;
  std::size_t spins() const;  ///< busy waits
  /// Calls that wait for a whole stream or device: cudaStreamSynchronize, cudaDeviceSynchronize, and calls with an
  /// implicit wait (cudaFree, cudaFreeHost, cudaMemcpy ...).
  std::size_t synchronisations() const;

 private:
  std::size_t begin_;
};

/// Whether a call only queries the runtime, without work or waiting: cudaGetDevice, cudaPointerGetAttributes,
/// cudaStreamGetDevice, cudaGetLastError ...
bool is_query(std::string_view call);

/// From now on calls are recorded with their sites, or without.
void record_sites(bool wanted);

/// A mark of the program in the log of calls ("read"), so that a test sees the calls between marks.
void note(char const* what);

/// The k-th call from now on (from 0) fails with `error`, once; cudaSuccess: with the first error that a real runtime
/// returns there. Calls that cannot fail (cudaGetErrorString, cudaGetLastError ...) are not counted. Failing frees and
/// destructions still do their work: a real runtime reports errors of earlier work there.
void fail(std::size_t k, cudaError_t error = cudaSuccess);
/// Stops injecting failures.
void fail_nothing();
bool has_failed();                                     ///< whether the k-th call was made
std::string failed_call();                             ///< its name
std::vector<cudaError_t> errors_of(char const* call);  ///< errors that a real runtime may return there

/// Live objects, over all devices.
struct Alive {
  std::size_t allocations = 0, bytes = 0, page_locked = 0, streams = 0, events = 0, pools = 0;
};
Alive alive();
/// Exit status of a program that leaks; the standard error stream names the leaks.
inline constexpr int leak_status = 86;
/// Exit status of a program whose work on a device failed, if no call except frees and destructions has returned that
/// error. Queued work runs first, up to host functions.
inline constexpr int unasked_status = 87;
/// Runs all queued work, as if time passed.
void run_all();
/// The number of unfinished operations of a stream, by its number in a Call.
std::size_t left_to_do(int stream);

/// The k-th ordering call from now on (from 0) does nothing, once, and returns cudaSuccess. Ordering calls are waits,
/// events and synchronisations: of a stream, an event or the device; record, wait, query. They are counted over all
/// threads, in the order of the calls, so the result does not depend on how the program was compiled.
void leave_out(std::size_t k);
/// Stops leaving out calls by number.
void leave_out_nothing();
std::string left_out_call();  ///< the name of the call that was left out; empty: the count was not reached

/// For the mutation test: ordering calls whose innermost return addresses begin with one of these do nothing and return
/// cudaSuccess. A return address is a place in the source only where nothing is inlined: compile with -fno-inline and
/// -fno-optimize-sibling-calls. The environment variable TESSERA_EMULATION_SITES=FILE writes each ordering call's
/// distinct site there at exit; TESSERA_EMULATION_LEAVE_OUT=FILE leaves out those that it lists.
void leave_out_sites(std::span<std::vector<void*> const> sites);

}  // namespace emulation
