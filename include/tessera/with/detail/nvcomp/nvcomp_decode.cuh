// decode_by_nvcomp: decodes whole chunks of one frame each in device memory. Included by nvcomp.cuh.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvcomp.h>

#include <tessera/codec/bytes_to_bytes/detail/align_frames.hpp>
#include <tessera/codec/bytes_to_bytes/detail/frame_batch.cuh>
#include <tessera/codec/bytes_to_bytes/detail/gzip_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/lz4_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/zstd_frame.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/core/error.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 { namespace detail {

// nvCOMP's functions for each format, in its CUDA implementation only: the hardware engine reports success for damaged
// LZ4, and needs buffers in another kind of memory.
struct NvcompZstd {
  using Frame = ZstdFrame;
  static constexpr char const* name = "nvcompBatchedZstd";
  static constexpr auto alignments = &::nvcompBatchedZstdDecompressGetRequiredAlignments;
  static constexpr auto temporary = &::nvcompBatchedZstdDecompressGetTempSize;
  static constexpr auto decompress = &::nvcompBatchedZstdDecompressAsync;
  static constexpr nvcompBatchedZstdDecompressOpts_t options{NVCOMP_DECOMPRESS_BACKEND_CUDA, {}};
  static constexpr std::size_t most = nvcompZstdDecompressionMaxAllowedChunkSize, temporary_tenths = 31;
};
struct NvcompLz4 {
  using Frame = Lz4Frame;
  static constexpr char const* name = "nvcompBatchedLZ4";
  static constexpr auto alignments = &::nvcompBatchedLZ4DecompressGetRequiredAlignments;
  static constexpr auto temporary = &::nvcompBatchedLZ4DecompressGetTempSize;
  static constexpr auto decompress = &::nvcompBatchedLZ4DecompressAsync;
  static constexpr nvcompBatchedLZ4DecompressOpts_t options{
      NVCOMP_DECOMPRESS_BACKEND_CUDA, 0, NVCOMP_TYPE_CHAR, NVCOMP_BITSHUFFLE_NONE, {}};
  static constexpr std::size_t most = nvcompLZ4DecompressionMaxAllowedChunkSize;
};
struct NvcompGzip {
  using Frame = GzipFrame;
  static constexpr char const* name = "nvcompBatchedGzip";
  static constexpr auto alignments = &::nvcompBatchedGzipDecompressGetRequiredAlignments;
  static constexpr auto temporary = &::nvcompBatchedGzipDecompressGetTempSize;
  static constexpr auto decompress = &::nvcompBatchedGzipDecompressAsync;
  static constexpr nvcompBatchedGzipDecompressOpts_t options{
      NVCOMP_DECOMPRESS_BACKEND_CUDA, NVCOMP_GZIP_DECOMPRESS_ALGORITHM_NAIVE, 0, {}};
  static constexpr std::size_t most = nvcompGzipNaiveDecompressionMaxAllowedChunkSize;
};

/// The most temporary memory that nvCOMP needs for these streams and their decoded bytes together, and no less than a
/// batch allocates for it: tests/cuda/nvcomp_planning.cpp asks nvCOMP.
template <class Format>
constexpr std::size_t most_temporary(std::size_t streams, std::size_t decoded) {
  constexpr std::size_t each = 4500;
  auto size = streams * each;
  if constexpr (requires { Format::temporary_tenths; }) size += decoded / 10 * Format::temporary_tenths + 100;
  return size + size / 8;  // in_steps
}

/// Whether a format gets copies of compressed bytes, because it reads them at some addresses only.
template <class Format>
inline constexpr bool is_given_copies = requires {
  Format::is_given_copies;
};

/// Throws: DeviceError, which names the function.
template <class Format>
void check_nvcomp(nvcompStatus_t status, char const* function) {
  if (status != nvcompSuccess)
    throw DeviceError{to_text({Format::name, function, ": ", ::nvcompGetStatusString(status)})};
}

/// Costs one copy of the list of chunks, a launch that walks their frames, nvCOMP's own, one copy of the answers, and
/// one wait for them. Throws: CodecError with the number of the first chunk that does not decode; DeviceError.
template <class Format>
void decode_by_nvcomp(std::span<CodecTask<space::Device>> batch, Queue<space::Device>& on) {
  auto const refuse = [](std::size_t i, CodecError error) {
    error.in_chunk(i);
    throw error;
  };
  nvcompAlignmentRequirements_t aligned{};
  check_nvcomp<Format>(Format::alignments(Format::options, &aligned), "DecompressGetRequiredAlignments");
  auto const is_aligned = [](auto const* address, std::size_t to) {
    return reinterpret_cast<std::uintptr_t>(address) % to == 0;
  };
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto const& task = batch[i];
    if (task.to.size > Format::most)
      refuse(i, CodecError{to_text({"nvCOMP decodes to at most ", Format::most, " bytes, expected ", task.to.size})});
    bool const is_taken = is_given_copies<Format> || is_aligned(task.from.data, aligned.input);
    if (!is_taken || !is_aligned(task.to.data, aligned.output))
      refuse(i, CodecError{to_text({"nvCOMP needs chunks aligned to ", aligned.input, " and ", aligned.output,
                                    " bytes, and this one is not"})});
  }

  auto lent = on.template lease<FrameBatch>();
  lent->begin(batch);
  auto const lists = lent->template walked<typename Format::Frame>(on);
  InContext const here{on.shared_stream()->context()};
  std::size_t wanted = 0;
  check_nvcomp<Format>(
      Format::temporary(lent->count(), lent->largest(), Format::options, &wanted, lent->total(), on.stream()),
      "DecompressGetTempSize");
  auto* const scratch = [&] {
    if constexpr (is_given_copies<Format>) {
      auto const slots = aligned_size(wanted), slot = aligned_size(lent->longest());
      auto* const memory = lent->scratch(slots + lent->count() * slot, on);
      launch_blocks(on, lent->count(), AlignFrames<EqualSlots>{lists.from, lists.sizes, {memory + slots, slot}});
      return memory;
    } else {
      return lent->scratch(wanted, on);
    }
  }();
  check_nvcomp<Format>(
      Format::decompress(lists.from, lists.sizes, lists.rooms, lists.decoded, lent->count(), scratch, wanted, lists.to,
                         Format::options, reinterpret_cast<nvcompStatus_t*>(lists.statuses), on.stream()),
      "DecompressAsync");
  lent->answer(on);
  lent.record();
  lent.wait();

  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto& task = batch[i];
    auto const& frame = lent->frame(i);
    if (frame.problem != FrameProblem::none) refuse(i, frame_error(frame, task.from.size, task.to.size));
    task.size = lent->decoded(i);
    auto const problem = [&](auto const& what) {
      refuse(i, CodecError{to_text({task.from.size, " bytes do not decode to ", task.to.size, ": ", what})});
    };
    if (lent->status(i) != nvcompSuccess)
      problem(::nvcompGetStatusString(static_cast<nvcompStatus_t>(lent->status(i))));
    if (task.size > task.to.size) problem(to_text({"nvCOMP decoded ", task.size}));
    if (frame.content != FoundFrame::unsaid && task.size != frame.content)
      problem(to_text({"nvCOMP decoded ", task.size, " bytes, but the frame header says ", frame.content}));
  }
}

template <class Format>
struct DecodedByNvcomp {
  using kind = bytes_to_bytes;
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Device>;

  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void decode(std::span<CodecTask<space::Device>> batch, DeviceQueue& on) const {
    if constexpr (check_kernels<DeviceQueue>())
      if (!batch.empty()) decode_by_nvcomp<Format>(batch, on);
  }
  std::size_t decoding_memory(std::size_t decoded) const {
    return most_temporary<Format>(1, decoded) + (is_given_copies<Format> ? decoded + decoded / 4 + 100 : 0);
  }
};

}}}  // namespace tessera::v0::detail
