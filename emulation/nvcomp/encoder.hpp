// The common part of the compressing formats: one function object, run in the stream's order, that encodes one chunk
// after the other where kernels run.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <nvcomp.h>

#include "decoder.hpp"

namespace emulation::nvcomp {

/// A Format has `name`, `input_alignment`, `output_alignment`, `temp_alignment`, `most`, `temp_size(chunks, total)`,
/// `bound(size)`, `is_known(options)`, and `encode`, which has room for that bound and returns 0 on failure.
template <class Format, class Options>
struct Encoder {
  void const* const* from;
  std::size_t const* from_sizes;
  std::size_t largest, chunks;
  std::byte* temp;
  std::size_t temp_size;
  void* const* to;
  std::size_t* sizes;
  Options options;
  nvcompStatus_t* statuses;

  static nvcompStatus_t alignments(Options const& options, nvcompAlignmentRequirements_t* result) {
    if (!result || !Format::is_known(options)) return nvcompErrorInvalidValue;
    *result = {Format::input_alignment, Format::output_alignment, Format::temp_alignment};
    return nvcompSuccess;
  }
  static nvcompStatus_t temporary(std::size_t chunks, std::size_t largest, Options const& options, std::size_t* result,
                                  std::size_t total) {
    if (!result || !Format::is_known(options)) return nvcompErrorInvalidValue;
    if (largest > Format::most) return nvcompErrorChunkSizeTooLarge;
    *result = Format::temp_size(chunks, total);
    return nvcompSuccess;
  }
  static nvcompStatus_t bound(std::size_t largest, Options const& options, std::size_t* result) {
    if (!result || !Format::is_known(options)) return nvcompErrorInvalidValue;
    if (largest > Format::most) return nvcompErrorChunkSizeTooLarge;
    *result = Format::bound(largest);
    return nvcompSuccess;
  }

  static void run(void const* object, std::uint64_t chunk) {
    static_cast<Encoder const*>(object)->encode(static_cast<std::size_t>(chunk));
  }

  static nvcompStatus_t launch(Encoder const& encoder, cudaStream_t stream) {
    if (!Format::is_known(encoder.options) || !encoder.from || !encoder.from_sizes || !encoder.to || !encoder.sizes)
      return nvcompErrorInvalidValue;
    if (encoder.largest > Format::most) return nvcompErrorChunkSizeTooLarge;
    if (encoder.chunks == 0) return nvcompSuccess;
    if (emulatedLaunch(run, &encoder, sizeof encoder, encoder.chunks, stream) == cudaSuccess) return nvcompSuccess;
    cudaGetLastError();  // nvCOMP has a runtime of its own, whose last error is invisible
    return nvcompErrorCudaError;
  }

 private:
  static bool is_misaligned(void const* address, std::size_t multiple) {
    return reinterpret_cast<std::uintptr_t>(address) % multiple != 0;
  }
  void expect_sound() const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < chunks; ++i) {
      total += from_sizes[i];
      for (std::size_t other = 0; other < i; ++other) {
        auto const a = reinterpret_cast<std::uintptr_t>(to[i]), b = reinterpret_cast<std::uintptr_t>(to[other]);
        if ((a < b ? b - a : a - b) < Format::bound(largest)) undefined(Format::name, i, "has too little room");
      }
    }
    if (temp_size < Format::temp_size(chunks, total)) undefined(Format::name, 0, "has too little temporary memory");
  }
  void encode(std::size_t i) const {
    if (is_misaligned(from[i], Format::input_alignment)) undefined(Format::name, i, "is misaligned");
    if (is_misaligned(to[i], Format::output_alignment)) undefined(Format::name, i, "has misaligned room");
    if (is_misaligned(temp, Format::temp_alignment)) undefined(Format::name, i, "has misaligned temporary memory");
    if (from_sizes[i] > largest) undefined(Format::name, i, "is larger than the largest");
    if (from_sizes[i] == 0) undefined(Format::name, i, "is empty");
    if (i == 0) expect_sound();
    auto const room = Format::bound(largest);
    std::memset(to[i], 0xa5, room);  // all of it is nvCOMP's
    sizes[i] = Format::encode(i, static_cast<std::byte const*>(from[i]), from_sizes[i], static_cast<std::byte*>(to[i]),
                              room, temp, temp_size, options);
    if (statuses) statuses[i] = sizes[i] == 0 ? nvcompErrorInternal : nvcompSuccess;
  }
};

/// The first suitably aligned byte of the temporary memory for such an object.
inline std::byte* aligned_in(std::byte* temp, std::size_t to) {
  return temp + (to - reinterpret_cast<std::uintptr_t>(temp) % to) % to;
}

}  // namespace emulation::nvcomp
