// What nvCOMP encodes in device memory, and what of it a configuration can ask for. Included by nvcomp.cuh.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvcomp.h>

#include <tessera/codec/bytes_to_bytes/encode_batch.cuh>
#include <tessera/codec/bytes_to_bytes/lz4_frame.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/codec/encoded_sizes.hpp>
#include <tessera/core/cuda_context.cuh>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

[[noreturn]] inline void refuse_member(char const* member, TextPart found, char const* written) {
  throw CodecError{text({"member ", member, ": found ", found, ", nvCOMP writes ", written,
                         "; create the array with that, or write it with the host's codec"})};
}

// What nvCOMP has of each format. `options` are those that write what the codec's configuration says, and nothing else.
// Throws: CodecError, if there are none.
struct NvcompZstdEncoding {
  static constexpr char const* name = "nvcompBatchedZstd";
  static constexpr auto alignments = &::nvcompBatchedZstdCompressGetRequiredAlignments;
  static constexpr auto temporary = &::nvcompBatchedZstdCompressGetTempSize;
  static constexpr auto bound = &::nvcompBatchedZstdCompressGetMaxOutputChunkSize;
  static constexpr auto compress = &::nvcompBatchedZstdCompressAsync;
  // The constant of nvCOMP's header has 2 GiB, the text above CompressAsync 16 MB, and beyond that undefined behaviour.
  static constexpr std::size_t most = std::size_t{1} << 24, header = 0;

  template <class C>
  static nvcompBatchedZstdCompressOpts_t options(C const& codec) {
    if (codec.level != 0) refuse_member("level", codec.level, "0 alone, which is an implementation's own");
    if (codec.checksum) refuse_member("checksum", "true", "false alone");
    return {};
  }
};
struct NvcompLz4Encoding {
  static constexpr char const* name = "nvcompBatchedLZ4";
  static constexpr auto alignments = &::nvcompBatchedLZ4CompressGetRequiredAlignments;
  static constexpr auto temporary = &::nvcompBatchedLZ4CompressGetTempSize;
  static constexpr auto bound = &::nvcompBatchedLZ4CompressGetMaxOutputChunkSize;
  static constexpr auto compress = &::nvcompBatchedLZ4CompressAsync;
  static constexpr std::size_t most = nvcompLZ4CompressionMaxAllowedChunkSize, header = Lz4Frame::header;

  template <class C>
  static nvcompBatchedLZ4CompressOpts_t options(C const& codec) {
    if (codec.acceleration > 1) refuse_member("acceleration", codec.acceleration, "1 alone, which is the default");
    return {NVCOMP_TYPE_CHAR, NVCOMP_BITSHUFFLE_NONE, {}};
  }
};
struct NvcompGzipEncoding {
  static constexpr char const* name = "nvcompBatchedGzip";
  static constexpr auto alignments = &::nvcompBatchedGzipCompressGetRequiredAlignments;
  static constexpr auto temporary = &::nvcompBatchedGzipCompressGetTempSize;
  static constexpr auto bound = &::nvcompBatchedGzipCompressGetMaxOutputChunkSize;
  static constexpr auto compress = &::nvcompBatchedGzipCompressAsync;
  static constexpr std::size_t most = nvcompGzipCompressionMaxAllowedChunkSize, header = 0;

  // Of its algorithms nvCOMP's header says that 2 makes less of chunks than zlib's level 1, 4 than level 6, and 5 the
  // least of all. None of them leaves bytes as they are.
  template <class C>
  static nvcompBatchedGzipCompressOpts_t options(C const& codec) {
    if (codec.level < 1 || codec.level > 9) refuse_member("level", codec.level, "1 to 9");
    return of_level(codec.level);
  }
  static nvcompBatchedGzipCompressOpts_t of_level(int level) { return {level == 1 ? 2 : level <= 6 ? 4 : 5, {}}; }
};

template <class Encoding>
void check_encoding(nvcompStatus_t status, char const* function) {
  if (status != nvcompSuccess)
    throw DeviceError{text({Encoding::name, function, ": ", ::nvcompGetStatusString(status)})};
}

/// One copy of the lists and nvCOMP's launches; before them a launch where chunks lie where nvCOMP does not read them,
/// and one that takes sizes, if these are in device memory. A format with a header has a launch behind them. Throws: CodecError with the number of the first chunk that nvCOMP
/// does not take; DeviceError.
template <class Encoding, class Options>
EncodeLists compress_by_nvcomp(std::span<CodecTask<space::Device> const> batch, Options const& options,
                               EncodedSizes const& sizes, EncodeBatch& lent, Queue<space::Device>& on) {
  auto const refuse = [](std::size_t i, auto const&... what) {
    CodecError error{text({what...})};
    error.in_chunk(i);
    throw error;
  };
  nvcompAlignmentRequirements_t aligned{};
  check_encoding<Encoding>(Encoding::alignments(options, &aligned), "CompressGetRequiredAlignments");
  lent.begin(batch, Encoding::header);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto const size = batch[i].from.size;
    if (size == 0) refuse(i, "nvCOMP encodes no chunk of 0 bytes");
    if (size > Encoding::most)
      refuse(i, "nvCOMP encodes at most ", Encoding::most, " bytes to a chunk, found ", sizes.before ? "up to " : "",
             size, ": make chunks smaller, or write with the host's codec");
  }
  std::size_t room = 0;
  check_encoding<Encoding>(Encoding::bound(lent.largest(), options, &room), "CompressGetMaxOutputChunkSize");
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (auto const size = batch[i].to.size; size < Encoding::header + room)
      refuse(i, "nvCOMP wants room for ", Encoding::header + room, " bytes of each chunk, found ", size);
    if (!is_aligned(batch[i].to.data + Encoding::header, aligned.output))
      refuse(i, "nvCOMP wants room at multiples of ", aligned.output, " bytes, which is not this one's place");
  }

  lent.align(aligned.input, on);
  auto const lists = lent.upload(on);
  if (sizes.before) launch(on, lent.count(), TakeSizes{sizes.before, lists.sizes});
  InContext const here{on.shared_stream()->context()};
  std::size_t wanted = 0;
  check_encoding<Encoding>(
      Encoding::temporary(lent.count(), lent.largest(), options, &wanted, lent.total(), on.stream()),
      "CompressGetTempSize");
  auto* const scratch = lent.scratch(wanted, on);
  check_encoding<Encoding>(
      Encoding::compress(lists.from, lists.sizes, lent.largest(), lent.count(), scratch, wanted, lists.to, sizes.after,
                         options, reinterpret_cast<nvcompStatus_t*>(sizes.statuses), on.stream()),
      "CompressAsync");
  if constexpr (Encoding::header > 0)
    launch(on, lent.count(), PutDecodedSizes<Encoding::header>{lists.to, lists.sizes, sizes.after});
  return lists;
}

/// Throws: CodecError.
inline void expect_nvcomp_encoded(CodecTask<space::Device> const& task, std::size_t size, std::int32_t status) {
  if (status != nvcompSuccess)
    throw CodecError{text(
        {task.from.size, " bytes are not encoded: ", ::nvcompGetStatusString(static_cast<nvcompStatus_t>(status))})};
  if (size > task.to.size)
    throw CodecError{text({"nvCOMP encoded to ", size, " bytes where there is room for ", task.to.size})};
}

/// Of a codec C, which derives from this.
template <class C, class Encoding>
struct EncodedByNvcomp {
  static constexpr bool takes_sizes = true;

  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void encode(std::span<CodecTask<space::Device> const> batch, EncodedSizes const& sizes, DeviceQueue& on) const {
    if constexpr (check_kernels<DeviceQueue>()) {
      auto const options = Encoding::options(static_cast<C const&>(*this));
      compress_by_nvcomp<Encoding>(batch, options, sizes, *on.template lease<EncodeBatch>(), on);
    }
  }
  void expect_encoded(CodecTask<space::Device> const& task, std::size_t size, std::int32_t status) const {
    expect_nvcomp_encoded(task, size, status);
  }
};

}  // namespace detail
}}  // namespace tessera::v0
