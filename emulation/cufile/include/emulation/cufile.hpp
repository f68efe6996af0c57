// cuFile's stand-in, seen by a test: what the machine is, what shall fail, what was asked of it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace emulation::cufile {

/// Requires, when it is set: cuFile's driver is closed.
struct Machine {
  bool nvidia_fs = true;        ///< the kernel's module is loaded; without it nothing goes but in the compatible mode
  bool peer_to_peer = false;    ///< the kernel's own way between disks and GPUs, which takes the module's place
  bool opens_without = false;   ///< the driver opens though there is neither
  bool opens_once = false;      ///< who opens the driver while it is open is told so, and does not close it
  bool direct_files = true;     ///< files are on a file system that cuFile knows
  bool registers = true;        ///< GPU memory can be registered
  bool has_parameters = true;   ///< cuFileSetParameterBool does something
  unsigned most_at_once = 128;  ///< requests of a batch
};
void set(Machine const& machine);

/// The k-th call from now on (from 0) fails, once: one that returns an error, or a request of a batch.
void fail(std::size_t k);
void fail_nothing();
bool has_failed();
std::string failed_call();

/// The k-th request of a batch from now on (from 0), and every one after it, moves so many bytes at most.
void shorten(std::size_t k, std::size_t bytes);
void shorten_nothing();
/// The next cuFileBatchIOGetStatus tells of one request less than it was asked for.
void tell_fewer();

/// Calls of that name since the last `forget_calls`, "request" for those of batches.
std::size_t count(std::string_view name);
void forget_calls();

/// What is alive now.
struct Alive {
  std::size_t opened = 0, files = 0, buffers = 0, batches = 0;
};
Alive alive();

}  // namespace emulation::cufile
