// Where kernels run: a process for each device, in which its memory is open and the program's own is not. Under
// ThreadSanitizer, which sees one process only, the program itself.
#pragma once
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "regions.hpp"

namespace emulation::gpu {

inline constexpr std::size_t most_bytes = 4096;  ///< of a kernel's function object

using Run = void (*)(void const* function, std::uint64_t block);

/// Forks the process that the devices' own are forked from. Before main: it must not have the program's memory.
void prepare();

/// Runs the kernel and returns when it has ended: cudaSuccess, or the error that kills the context, with the invalid
/// address if that was the cause. `backwards`: the last block first.
cudaError_t launch(int device, Run run, void const* function, std::size_t size, std::uint64_t blocks, bool backwards,
                   void const*& touched);

/// In a device's process: ends the running kernel, which must not access the address. Elsewhere: no effect.
void end_kernel(void const* touched);

/// Closes the allocation in the processes of these devices.
void close(Allocation& allocation, std::uint32_t devices);

/// Maps the pages of an allocation there to a file, which `path` names for every process: one of another process, or,
/// if it is empty, the region's own again.
bool show(Allocation const& allocation, char const* path, std::size_t offset);

/// A new process for the device, if it had one.
void restart(int device);

}  // namespace emulation::gpu
