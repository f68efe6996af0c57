// nvCOMP's answers without a GPU: its functions are those of the stand-in emulation/nvcomp, chunks may lie at any
// address, as they do in shards, and the size of its temporary memory.
#include <cstddef>
#include <cstdio>
#include <type_traits>

#include <tessera/with/nvcomp.cuh>

namespace {

template <class Options>
using Alignments = nvcompStatus_t(Options, nvcompAlignmentRequirements_t*);
template <class Options>
using TempSize = nvcompStatus_t(std::size_t, std::size_t, Options, std::size_t*, std::size_t, cudaStream_t);
template <class Options>
using Decompress = nvcompStatus_t(void const* const*, std::size_t const*, std::size_t const*, std::size_t*, std::size_t,
                                  void*, std::size_t, void* const*, Options, nvcompStatus_t*, cudaStream_t);

template <class Options>
using Bound = nvcompStatus_t(std::size_t, Options, std::size_t*);
template <class Options>
using Compress = nvcompStatus_t(void const* const*, std::size_t const*, std::size_t, std::size_t, void*, std::size_t,
                                void* const*, std::size_t*, Options, nvcompStatus_t*, cudaStream_t);

int wrong = 0;
void check(bool is_right, char const* format, char const* what) {
  if (is_right) return;
  std::printf("%s: %s\n", format, what);
  ++wrong;
}

template <class Format>
std::size_t temporary(std::size_t chunks, std::size_t size) {
  std::size_t result = 0;
  auto const status = Format::temporary(chunks, size, Format::options, &result, chunks * size, nullptr);
  check(status == nvcompSuccess, Format::name, nvcompGetStatusString(status));
  return result;
}

template <class Format, class Options>
void check_format() {
  static_assert(std::is_same_v<decltype(Format::alignments), Alignments<Options>* const>);
  static_assert(std::is_same_v<decltype(Format::temporary), TempSize<Options>* const>);
  static_assert(std::is_same_v<decltype(Format::decompress), Decompress<Options>* const>);
  static_assert(sizeof(Options) == 64);
  nvcompAlignmentRequirements_t aligned{};
  check(Format::alignments(Format::options, &aligned) == nvcompSuccess, Format::name, "no alignments");
  bool const is_copied = tessera::detail::is_given_copies<Format>;
  check(aligned.input <= (is_copied ? tessera::detail::frame_alignment : 1), Format::name, "chunks may not lie there");
  check(aligned.output == 1, Format::name, "chunks may not be decoded to any address");
  check(aligned.temp <= 256, Format::name, "temporary memory may not lie where an allocation begins");
  for (std::size_t const chunks : {1u, 16u, 4096u})
    for (std::size_t const size : {std::size_t{1} << 16, std::size_t{1} << 20}) {
      auto const found = temporary<Format>(chunks, size);
      check(found <= tessera::detail::most_temporary<Format>(chunks, chunks * size) + 65536, Format::name,
            "more temporary memory than a budget counts");
    }
  std::printf("%s: %zu bytes of temporary memory for 16 chunks of 64 KiB\n", Format::name,
              temporary<Format>(16, std::size_t{1} << 16));
}

// For such chunks each codec's bound is enough room, and the next one's may begin directly after it.
template <class Encoding, class Options, class C>
void check_encoding(C const& codec, double most_of_plain) {
  static_assert(std::is_same_v<decltype(Encoding::alignments), Alignments<Options>* const>);
  static_assert(std::is_same_v<decltype(Encoding::temporary), TempSize<Options>* const>);
  static_assert(std::is_same_v<decltype(Encoding::bound), Bound<Options>* const>);
  static_assert(std::is_same_v<decltype(Encoding::compress), Compress<Options>* const>);
  static_assert(sizeof(Options) == 64);
  auto const options = Encoding::options(codec);
  nvcompAlignmentRequirements_t aligned{};
  check(Encoding::alignments(options, &aligned) == nvcompSuccess, Encoding::name, "no alignments");
  check(aligned.temp <= 256, Encoding::name, "temporary memory may not lie where an allocation begins");
  for (std::size_t size = 1; size <= std::size_t{1} << 24; size = size * 5 / 4 + 1) {
    std::size_t room = 0;
    check(Encoding::bound(size, options, &room) == nvcompSuccess, Encoding::name, "no bound");
    auto const bound = codec.encoded_bound(size);
    check(Encoding::header + room <= bound, Encoding::name, "more room than the codec's bound");
    check(aligned.output == 1 || bound % aligned.output == 0, Encoding::name, "bounds are no multiples");
  }
  std::size_t room = 0;
  if (Encoding::most <= std::size_t{1} << 40)
    check(Encoding::bound(Encoding::most, options, &room) == nvcompSuccess, Encoding::name, "a chunk may be smaller");
  std::size_t found = 0;
  auto const status = Encoding::temporary(16, std::size_t{1} << 16, options, &found, std::size_t{16} << 16, nullptr);
  if (status == nvcompErrorCudaError) return (void)std::printf("%s: asks a device before it encodes\n", Encoding::name);
  check(status == nvcompSuccess, Encoding::name, nvcompGetStatusString(status));
  check(static_cast<double>(found) <= most_of_plain * double(16 << 16) + 65536, Encoding::name,
        "more temporary memory to encode than docs/routes.md says");
  std::printf("%s: %zu bytes of temporary memory to encode 16 chunks of 64 KiB\n", Encoding::name, found);
}

}  // namespace

int main() {
  using namespace tessera::detail;
  static_assert(sizeof(nvcompStatus_t) == sizeof(std::int32_t));
  check_format<NvcompZstd, nvcompBatchedZstdDecompressOpts_t>();
  check_format<NvcompLz4, nvcompBatchedLZ4DecompressOpts_t>();
  check_format<NvcompGzip, nvcompBatchedGzipDecompressOpts_t>();
  check_format<NvcompDeflate, nvcompBatchedDeflateDecompressOpts_t>();
  check_format<NvcompSnappy, nvcompBatchedSnappyDecompressOpts_t>();
  using namespace tessera::nvcomp;
  check_encoding<NvcompZstdEncoding, nvcompBatchedZstdCompressOpts_t>(Zstd{}, 0);
  check_encoding<NvcompLz4Encoding, nvcompBatchedLZ4CompressOpts_t>(Lz4{}, 0.5);
  for (int level = 1; level <= 9; ++level) {
    Gzip codec;
    codec.level = level;
    check_encoding<NvcompGzipEncoding, nvcompBatchedGzipCompressOpts_t>(codec, 18.1);
  }
  return wrong != 0;
}
