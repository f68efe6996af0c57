// Kernels, which are function objects here.
#include <array>
#include <cstring>
#include <memory>

#include "entry.hpp"
#include "fault.hpp"
#include "gpu.hpp"
#include "managed.hpp"
#include "report.hpp"
#include "scheduler.hpp"

using namespace emulation;

namespace {

struct Kernel {
  gpu::Run run;
  std::uint64_t blocks;
  bool backwards;  ///< the last block first: programs must not rely on an order
  std::size_t size;
  void* caller;
  cudaError_t error = cudaSuccess;
  void const* touched = nullptr;
  alignas(64) std::array<std::byte, gpu::most_bytes> function{};

  void run_here() {
    auto const all_blocks = [](void* argument) {
      auto const& kernel = *static_cast<Kernel*>(argument);
      for (std::uint64_t i = 0; i < kernel.blocks; ++i) {
        kernel.run(kernel.function.data(), kernel.backwards ? kernel.blocks - 1 - i : i);
      }
    };
    error = fault::run_guarded(all_blocks, this, touched);
  }

  void end(int device) {
    if (error == cudaSuccess) return;
    if (error == cudaErrorIllegalAddress) fault::say_touch("a kernel", "launched at ", caller, touched);
    if (error == cudaErrorMisalignedAddress) {
      say({"a kernel touched an address that is misaligned for the type that it touched there; launched at ",
           Piece::place(caller)});
    }
    world().devices[device].error = error;
  }
};

}  // namespace

cudaError_t emulatedLaunch(void (*run)(void const* function, std::uint64_t block), void const* function,
                           std::size_t size, std::uint64_t blocks, cudaStream_t handle) {
  return enter("emulatedLaunch", Role::work, [&](Entry& entry) {
    Stream* const stream = find_stream(handle);
    // "The kernel launch will fail if it is issued to a stream that is not associated to the current device."
    if (stream == nullptr || stream->device != current_device()) return cudaErrorInvalidResourceHandle;
    entry.tell_stream(*stream);
    if (run == nullptr || function == nullptr || size > gpu::most_bytes) return cudaErrorInvalidValue;
    if (blocks == 0) return cudaErrorInvalidConfiguration;
    auto const kernel = std::make_shared<Kernel>();
    kernel->run = run;
    kernel->blocks = blocks;
    kernel->backwards = (stream->enqueued + world().seed) % 2 == 1;
    kernel->size = size;
    kernel->caller = entry.caller();
    std::memcpy(kernel->function.data(), function, size);
    Operation operation;
    operation.caller = entry.caller();
    if (sanitizer::threads) operation.prepare = [kernel] { kernel->run_here(); };
    operation.run = [kernel, device = stream->device] {
      if (!sanitizer::threads) {
        kernel->error = gpu::launch(device, kernel->run, kernel->function.data(), kernel->size, kernel->blocks,
                                    kernel->backwards, kernel->touched);
      }
      kernel->end(device);
    };
    managed::kernel_queued(scheduler::enqueue(*stream, std::move(operation)));
    return cudaSuccess;
  });
}
