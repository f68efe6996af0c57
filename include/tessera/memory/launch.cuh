// launch and launch_blocks: run a function object as a kernel.
#pragma once
#include <cstdint>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/cuda_check.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/detail/kernels.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 {

/// Calls f(i) on the device for each i below count, in the queue's order and in any order among the calls. f is copied
/// to the device bit by bit: it may point only to memory that the device can access. Its operator() must be
/// TESSERA_HOST_DEVICE. Throws: DeviceError.
template <class F>
void launch(Queue<space::Device>& on, std::uint64_t count, F const& f) {
  constexpr bool is_copied_by_bits = std::is_trivially_copyable_v<F>;
  static_assert(is_copied_by_bits,
                "tessera: a kernel's function object is copied to the device bit by bit: it must hold only pointers "
                "and numbers");
  if constexpr (is_copied_by_bits && detail::check_kernels<F>()) {
    if (count == 0) return;
    detail::InContext const here{on.shared_stream()->context()};
    auto const blocks = (count - 1) / detail::threads_per_block + 1;
    detail::check(detail::start(blocks, f, count, on.stream()), "a kernel launch");
  }
}

/// Runs `blocks` blocks of F::threads cooperating threads on the device, in the queue's order, and in any order among
/// the blocks. Each thread of block b calls f.phase<0>(b, thread, shared), then f.phase<1>(b, thread, shared) and so on
/// below F::phases. No thread of a block begins a phase before all have ended the previous one (CUDA C++ Programming
/// Guide, "Synchronization Functions": __syncthreads). `shared` is one object of type F::Shared for the block,
/// uninitialised in phase 0: a trivial type of at most 48 KiB. Only there can threads keep data between phases. The
/// requirements on f are those of `launch`. Throws: DeviceError.
///
/// If F has a `static constexpr unsigned repeated` and a `bool goes_on(std::uint64_t block, Shared const&) const`, the
/// phases from `repeated` on run again while it returns true. All threads call it after the last phase, so the first
/// repeated phase must not change anything that it reads.
template <class F>
void launch_blocks(Queue<space::Device>& on, std::uint64_t blocks, F const& f) {
  constexpr bool is_kernel_of_blocks = detail::KernelOfBlocks<F>;
  static_assert(
      is_kernel_of_blocks,
      "tessera: a block kernel must hold only pointers and numbers, and declare: static constexpr unsigned threads "
      "(1 to 1024) and phases (1 or more); a trivial type Shared of at most 48 KiB; and "
      "template <unsigned Phase> void phase(std::uint64_t block, unsigned thread, Shared&) const");
  if constexpr (is_kernel_of_blocks && detail::check_kernels<F>()) {
    if (blocks == 0) return;
    detail::InContext const here{on.shared_stream()->context()};
    detail::check(detail::start_blocks(blocks, f, on.stream()), "a kernel launch");
  }
}

}}  // namespace tessera::v0
