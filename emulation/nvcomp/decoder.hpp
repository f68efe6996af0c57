// The common part of the formats: one function object, run in the stream's order, that decodes one chunk after the
// other where kernels run. Undefined behaviour of nvCOMP is a finding of the emulation.
#pragma once
#include <csignal>
#include <cstddef>
#include <cstdint>

#include <nvcomp.h>

#include "../runtime/gpu.hpp"
#include "../runtime/report.hpp"

namespace emulation::nvcomp {

/// The result of a chunk.
struct Decoded {
  nvcompStatus_t status;
  std::size_t size;
};

/// Reports the problem of a chunk and ends the kernel, as an access outside device memory does.
[[noreturn]] inline void undefined(char const* function, std::size_t chunk, char const* what) {
  say({function, ": chunk ", chunk, " ", what, ", and then nvCOMP's behaviour is undefined"});
  gpu::end_kernel(nullptr);
  for (;;) std::raise(SIGSEGV);  // under ThreadSanitizer kernels run in the program itself
}

/// A Format has `name`, `input_alignment` and `temp_alignment`, `temp_size(chunks, total)`, and `decode`.
template <class Format>
struct Decoder {
  void const* const* from;
  std::size_t const *from_sizes, *rooms;
  std::size_t* sizes;
  std::size_t chunks;
  std::byte* temp;
  std::size_t temp_size;
  void* const* to;
  nvcompStatus_t* statuses;

  static void run(void const* object, std::uint64_t chunk) {
    static_cast<Decoder const*>(object)->decode(static_cast<std::size_t>(chunk));
  }

  static nvcompStatus_t launch(Decoder const& decoder, cudaStream_t stream) {
    if (!decoder.from || !decoder.from_sizes || !decoder.rooms || !decoder.sizes || !decoder.to || !decoder.statuses)
      return nvcompErrorInvalidValue;
    if (decoder.chunks == 0) return nvcompSuccess;
    if (emulatedLaunch(run, &decoder, sizeof decoder, decoder.chunks, stream) == cudaSuccess) return nvcompSuccess;
    cudaGetLastError();  // nvCOMP has a runtime of its own, whose last error is invisible
    return nvcompErrorCudaError;
  }

 private:
  void decode(std::size_t i) const {
    auto const misaligned = [](void const* address, std::size_t multiple) {
      return reinterpret_cast<std::uintptr_t>(address) % multiple != 0;
    };
    if (misaligned(from[i], Format::input_alignment)) undefined(Format::name, i, "is misaligned");
    if (misaligned(temp, Format::temp_alignment)) undefined(Format::name, i, "has misaligned temporary memory");
    if (i == 0) {
      std::size_t total = 0;
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) total += rooms[chunk];
      if (temp_size < Format::temp_size(chunks, total)) undefined(Format::name, i, "has too little temporary memory");
    }
    auto const decoded = Format::decode(i, static_cast<std::byte const*>(from[i]), from_sizes[i],
                                        static_cast<std::byte*>(to[i]), rooms[i], temp, temp_size);
    sizes[i] = decoded.size;
    statuses[i] = decoded.status;
  }
};

}  // namespace emulation::nvcomp
