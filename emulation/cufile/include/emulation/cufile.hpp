// Test interface of cuFile's stand-in: the machine, failures to inject, calls received.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace emulation::cufile {

/// Requires, when it is set: cuFile's driver is closed.
struct Machine {
  bool nvidia_fs = true;        ///< the kernel's module is loaded; without it only the compatible mode works
  bool peer_to_peer = false;    ///< the kernel's own path between disks and GPUs, which replaces the module
  bool opens_without = false;   ///< the driver opens though there is neither
  bool opens_once = false;      ///< opening the driver while it is open returns an error, and does not close it
  bool direct_files = true;     ///< files are on a file system that cuFile supports
  bool registers = true;        ///< GPU memory can be registered
  bool has_parameters = true;   ///< cuFileSetParameterBool has an effect
  unsigned most_at_once = 128;  ///< requests of a batch
};
void set(Machine const& machine);

/// The k-th call from now on (from 0) fails, once: one that returns an error, or a request of a batch.
void fail(std::size_t k);
void fail_nothing();
bool has_failed();
std::string failed_call();

/// The k-th request of a batch from now on (from 0), and every one after it, moves at most that number of bytes.
void shorten(std::size_t k, std::size_t bytes);
void shorten_nothing();
/// The next cuFileBatchIOGetStatus reports one request less than it was asked for.
void tell_fewer();

/// Calls of that name since the last `forget_calls`; "request" for requests of batches.
std::size_t count(std::string_view name);
void forget_calls();

/// Live objects.
struct Alive {
  std::size_t opened = 0, files = 0, buffers = 0, batches = 0;
};
Alive alive();

}  // namespace emulation::cufile
