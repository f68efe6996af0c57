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

/// Forks the process that the devices' own are forked from. Before main: of the program's memory it must know nothing.
void prepare();

/// Runs the kernel and returns when it has ended: cudaSuccess, or the error that kills the context, and then the
/// address that it must not touch, if that was it.
cudaError_t launch(int device, Run run, void const* function, std::size_t size, std::uint64_t blocks,
                   void const*& touched);

/// In a device's process: ends the kernel that runs, which must not touch the address. Elsewhere: nothing.
void end_kernel(void const* touched);

/// Closes the allocation in the processes of these devices.
void close(Allocation& allocation, std::uint32_t devices);

/// Lets the pages of an allocation be those of a file there, which `path` names for every process: one of another
/// process's, or, if it is empty, the region's own again.
bool show(Allocation const& allocation, char const* path, std::size_t offset);

/// A new process for the device, if it had one.
void restart(int device);

}  // namespace emulation::gpu
