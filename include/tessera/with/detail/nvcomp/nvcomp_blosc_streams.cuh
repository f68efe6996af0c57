// decode_streams, BloscEncodedByNvcomp: decode and encode blosc in device memory. nvCOMP handles the inner streams,
// tessera's kernels the rest. Included by nvcomp.cuh.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include <tessera/codec/bytes_to_bytes/detail/align_frames.hpp>
#include <tessera/codec/bytes_to_bytes/detail/blosc_batch.cuh>
#include <tessera/codec/bytes_to_bytes/detail/blosc_encode_batch.cuh>
#include <tessera/codec/detail/encoded_sizes.hpp>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/core/error.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/with/detail/nvcomp/nvcomp_decode.cuh>
#include <tessera/with/detail/nvcomp/nvcomp_encode.cuh>
#include <tessera/with/detail/nvcomp/nvcomp_zlib_decode.cuh>

namespace tessera { inline namespace v0 { namespace detail {

// For streams in blosc, with nvCOMP's only options.
struct NvcompLz4InBlosc : NvcompLz4Encoding {
  static constexpr auto inside = BloscInside::lz4;
  static constexpr char const* cname = "lz4";
  static constexpr std::size_t header = 0;
  static constexpr nvcompBatchedLZ4CompressOpts_t options{NVCOMP_TYPE_CHAR, NVCOMP_BITSHUFFLE_NONE, {}};
};
struct NvcompZstdInBlosc : NvcompZstdEncoding {
  static constexpr auto inside = BloscInside::zstd;
  static constexpr char const* cname = "zstd";
  static constexpr nvcompBatchedZstdCompressOpts_t options{};
};

/// Costs two copies of lists and four launches, one of them nvCOMP's. Throws: CodecError, with the number of the chunk;
/// DeviceError.
template <class Encoding>
void encode_blosc(std::span<CodecTask<space::Device> const> batch, BloscForm const& form, EncodedSizes const& sizes,
                  Queue<space::Device>& on) {
  auto lent = on.template lease<BloscEncodeBatch>();
  lent->begin(batch, form);
  if (lent->largest() > Encoding::most)
    refuse_member("blocksize", form.block, to_text({"at most ", Encoding::most, " bytes per stream"}).c_str());
  std::size_t room = 0;
  check_encoding<Encoding>(Encoding::bound(lent->largest(), Encoding::options, &room), "CompressGetMaxOutputChunkSize");
  auto const streams = lent->shuffle(room, on);
  auto encoding = on.template lease<EncodeBatch>();
  auto const lists = compress_by_nvcomp<Encoding>(streams, Encoding::options, lent->answers(), *encoding, on);
  lent->join(lists, sizes, on);
}

/// The base of a codec C with streams of these encodings; `C::writes` names them.
template <class C, class... Encodings>
struct BloscEncodedByNvcomp {
  /// Levels 1 to 9 are degrees of effort, of which nvCOMP has one; level 0 stores bytes uncompressed.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void encode(std::span<CodecTask<space::Device> const> batch, EncodedSizes const& sizes, DeviceQueue& on) const {
    if constexpr (check_kernels<DeviceQueue>()) {
      expect_encodes();
      auto const& codec = static_cast<C const&>(*this);
      (void)((codec.cname == Encodings::cname && (encode_as<Encodings>(codec, batch, sizes, on), true)) || ...);
    }
  }
  void expect_encodes() const {
    auto const& codec = static_cast<C const&>(*this);
    if (codec.typesize > 255) refuse_member("typesize", codec.typesize, "1 to 255");
    if (!((codec.cname == Encodings::cname) || ...)) refuse_member("cname", codec.cname, C::writes);
  }
  void expect_encoded(CodecTask<space::Device> const& task, std::size_t size, std::int32_t status) const {
    expect_nvcomp_encoded(task, size, status);
  }

  /// The same codec for a new array of such chunks.
  C fitted(ChunkSpecification const& chunk) const {
    auto result = static_cast<C const&>(*this);
    if (result.typesize == 0) result.typesize = chunk.type.size;
    return result;
  }

 private:
  template <class Encoding>
  static void encode_as(C const& codec, std::span<CodecTask<space::Device> const> batch, EncodedSizes const& sizes,
                        Queue<space::Device>& on) {
    auto const filter = codec.shuffle == "shuffle"      ? BloscFilter::bytes
                        : codec.shuffle == "bitshuffle" ? BloscFilter::bits
                                                        : BloscFilter::none;
    BloscForm const form{Encoding::inside, filter, static_cast<std::uint32_t>(std::max<std::size_t>(codec.typesize, 1)),
                         codec.blocksize};
    if (codec.clevel > 0) return encode_blosc<Encoding>(batch, form, sizes, on);
    auto lent = on.template lease<BloscEncodeBatch>();
    lent->begin(batch, form);
    lent->store(sizes, on);
  }
};

struct NvcompSnappy {
  using Frame = SnappyBlock;
  static constexpr char const* name = "nvcompBatchedSnappy";
  static constexpr auto alignments = &::nvcompBatchedSnappyDecompressGetRequiredAlignments;
  static constexpr auto temporary = &::nvcompBatchedSnappyDecompressGetTempSize;
  static constexpr auto decompress = &::nvcompBatchedSnappyDecompressAsync;
  static constexpr nvcompBatchedSnappyDecompressOpts_t options{NVCOMP_DECOMPRESS_BACKEND_CUDA, 0, {}};
  static constexpr std::size_t most = nvcompSnappyDecompressionMaxAllowedChunkSize;
};

/// nvCOMP's format for the streams inside blosc.
template <class Format, BloscInside Inside>
struct BloscStreamsOf {
  static constexpr auto inside = Inside;
  using format = Format;
};
using BloscOfLz4 = BloscStreamsOf<NvcompLz4, BloscInside::lz4>;
using BloscOfSnappy = BloscStreamsOf<NvcompSnappy, BloscInside::snappy>;
using BloscOfZlib = BloscStreamsOf<NvcompDeflate, BloscInside::zlib>;
using BloscOfZstd = BloscStreamsOf<NvcompZstd, BloscInside::zstd>;

/// Bytes of temporary memory. Throws: DeviceError.
template <class Format>
std::size_t temporary_of(BloscStreams const& streams, Queue<space::Device>& on) {
  std::size_t wanted = 0;
  if (streams.count > 0)
    check_nvcomp<Format>(
        Format::temporary(streams.count, streams.largest, Format::options, &wanted, streams.total, on.stream()),
        "DecompressGetTempSize");
  return wanted;
}
template <class Format>
void decompress(BloscStreams const& streams, BloscLists lists, std::byte* scratch, std::size_t size,
                Queue<space::Device>& on) {
  if (streams.count == 0) return;
  auto const first = streams.first;
  if constexpr (is_given_copies<Format>)
    launch_blocks(on, streams.count,
                  AlignFrames<ListedSlots>{lists.from + first, lists.sizes + first, {lists.slots + first}});
  check_nvcomp<Format>(
      Format::decompress(lists.from + first, lists.sizes + first, lists.rooms + first, lists.decoded + first,
                         streams.count, scratch, size, lists.to + first, Format::options,
                         reinterpret_cast<nvcompStatus_t*>(lists.statuses + first), on.stream()),
      "DecompressAsync");
}

/// Throws: CodecError, if a header is invalid, or has streams that none of these formats decodes.
template <class... Streams>
void expect_header(BloscFrame const& frame, CodecTask<space::Device> const& task) {
  if (frame.problem != FrameProblem::none)
    throw frame_error({frame.problem, 0, frame.content}, task.from.size, task.to.size);
  if (frame.content > task.to.size)
    throw frame_error({FrameProblem::too_large, 0, frame.content}, task.from.size, task.to.size);
  if (frame.is_stored() || ((frame.inside == Streams::inside) || ...)) return;
  auto const name = blosc_inside_name(frame.inside);
  bool const is_ours = frame.inside > BloscInside::blosclz && frame.inside < BloscInside::unknown;
  throw CodecError{to_text({"found ", name, " inside blosc, which this implementation does not decode: ",
                            is_ours ? "nvcomp::Blosc does" : "codec::Blosc does, on the host"})};
}

/// Costs two copies of lists to the device, and two launches beside nvCOMP's for each format present; two copies of
/// answers, of headers and of all blocks, each with a wait. Then `blocks.source()` has the chunks' contents. `apart`:
/// as BloscBatch's. Throws: CodecError with the number of the first chunk whose header is invalid, or else that does
/// not decode; DeviceError.
template <class... Streams>
void decode_streams(std::span<CodecTask<space::Device>> batch, BloscBatch& blocks, bool apart,
                    Queue<space::Device>& on) {
  auto const for_each = [&](auto&& f) {
    for (std::size_t i = 0; i < batch.size(); ++i) try {
        f(i, batch[i]);
      } catch (Error& error) {
        error.in_chunk(i);
        throw;
      }
  };
  auto headers = on.template lease<BloscHeaders>();
  headers->ask(batch, on);
  headers.record();
  headers.wait();
  for_each([&](std::size_t i, auto& task) {
    expect_header<Streams...>(headers->frame(i), task);
    task.size = headers->frame(i).content;
  });

  auto const lists = blocks.walked(*headers, apart, on);
  InContext const here{on.shared_stream()->context()};
  auto const scratch_size =
      std::max({temporary_of<typename Streams::format>(blocks.streams_of(Streams::inside), on)...});
  auto* const scratch = blocks.scratch(scratch_size, on);
  (decompress<typename Streams::format>(blocks.streams_of(Streams::inside), lists, scratch, scratch_size, on), ...);
  blocks.answer(on);
  headers.record();
  headers.wait();
  for_each([&](std::size_t i, auto const& task) {
    auto const problem = [&](std::uint64_t block, auto const& what) {
      throw CodecError{
          to_text({task.from.size, " bytes do not decode to ", task.size, ": in block ", block, ", ", what})};
    };
    blocks.check(i, [&](std::uint64_t block, auto what) {
      if constexpr (std::same_as<decltype(what), FrameProblem>)
        problem(block, frame_problem({what}));
      else if (what != nvcompSuccess)
        problem(block, ::nvcompGetStatusString(static_cast<nvcompStatus_t>(what)));
      else
        problem(block, "nvCOMP decodes a different number of bytes");
    });
  });
}

}}}  // namespace tessera::v0::detail
