// compress_by_nvcomp: encodes chunks in device memory, for the configurations that nvCOMP supports. Included by
// nvcomp.cuh.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <nvcomp.h>

#include <tessera/codec/bytes_to_bytes/detail/encode_batch.cuh>
#include <tessera/codec/bytes_to_bytes/detail/lz4_frame.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/encoded_sizes.hpp>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

[[noreturn]] inline void refuse_member(char const* member, TextPart found, char const* written) {
  throw CodecError{to_text({"member ", member, ": found ", found, ", nvCOMP writes ", written,
                            "; create the array with that, or write it with the host codec"})};
}

// nvCOMP's functions for each format. `options` returns those that write exactly what the codec's configuration says.
// Throws: CodecError, if there are none.
struct NvcompZstdEncoding {
  static constexpr char const* name = "nvcompBatchedZstd";
  static constexpr auto alignments = &::nvcompBatchedZstdCompressGetRequiredAlignments;
  static constexpr auto temporary = &::nvcompBatchedZstdCompressGetTempSize;
  static constexpr auto bound = &::nvcompBatchedZstdCompressGetMaxOutputChunkSize;
  static constexpr auto compress = &::nvcompBatchedZstdCompressAsync;
  // The constant in nvCOMP's header is 2 GiB; the text above CompressAsync says 16 MB, and undefined behaviour beyond.
  static constexpr std::size_t most = std::size_t{1} << 24, header = 0;

  template <class C>
  static nvcompBatchedZstdCompressOpts_t options(C const& codec) {
    if (codec.level != 0) refuse_member("level", codec.level, "only 0, the implementation's default");
    if (codec.checksum) refuse_member("checksum", "true", "only false");
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
    if (codec.acceleration > 1) refuse_member("acceleration", codec.acceleration, "only 1, the default");
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

  // By nvCOMP's header, algorithm 2 compresses better than zlib's level 1, 4 better than level 6, and 5 best. None
  // stores bytes uncompressed.
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
    throw DeviceError{to_text({Encoding::name, function, ": ", ::nvcompGetStatusString(status)})};
}

/// Costs one copy of the lists and nvCOMP's launches; one launch before, if nvCOMP cannot read chunks at their
/// addresses; one, if sizes are in device memory; one after, for a format with a header. Throws: CodecError with the
/// number of the first chunk that nvCOMP does not accept; DeviceError.
template <class Encoding, class Options>
EncodeLists compress_by_nvcomp(std::span<CodecTask<space::Device> const> batch, Options const& options,
                               EncodedSizes const& sizes, EncodeBatch& lent, Queue<space::Device>& on) {
  auto const refuse = [](std::size_t i, auto const&... what) {
    CodecError error{to_text({what...})};
    error.in_chunk(i);
    throw error;
  };
  nvcompAlignmentRequirements_t aligned{};
  check_encoding<Encoding>(Encoding::alignments(options, &aligned), "CompressGetRequiredAlignments");
  lent.begin(batch, Encoding::header);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto const size = batch[i].from.size;
    if (size == 0) refuse(i, "nvCOMP cannot encode a chunk of 0 bytes");
    if (size > Encoding::most)
      refuse(i, "nvCOMP encodes at most ", Encoding::most, " bytes per chunk, found ", sizes.before ? "up to " : "",
             size, ": make chunks smaller, or write with the host codec");
  }
  std::size_t room = 0;
  check_encoding<Encoding>(Encoding::bound(lent.largest(), options, &room), "CompressGetMaxOutputChunkSize");
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (auto const size = batch[i].to.size; size < Encoding::header + room)
      refuse(i, "nvCOMP needs room for ", Encoding::header + room, " bytes per chunk, found ", size);
    if (!is_aligned(batch[i].to.data + Encoding::header, aligned.output))
      refuse(i, "nvCOMP needs output memory aligned to ", aligned.output, " bytes, and this one is not");
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
    throw CodecError{to_text(
        {task.from.size, " bytes are not encoded: ", ::nvcompGetStatusString(static_cast<nvcompStatus_t>(status))})};
  if (size > task.to.size)
    throw CodecError{to_text({"nvCOMP encoded to ", size, " bytes where there is room for ", task.to.size})};
}

/// The base of a codec C.
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
  void expect_encodes() const { (void)Encoding::options(static_cast<C const&>(*this)); }
  void expect_encoded(CodecTask<space::Device> const& task, std::size_t size, std::int32_t status) const {
    expect_nvcomp_encoded(task, size, status);
  }
};

}  // namespace detail
}}  // namespace tessera::v0
