// What nvCOMP itself says without a GPU: that its functions are those that emulation/nvcomp stands in for, that chunks
// may lie at any address, as they do in shards, and how much temporary memory it wants.
#include <cstddef>
#include <cstdio>
#include <type_traits>

#include <tessera/with/nvcomp_blosc.cuh>
#include <tessera/with/nvcomp_zlib.cuh>

namespace {

template <class Options>
using Alignments = nvcompStatus_t(Options, nvcompAlignmentRequirements_t*);
template <class Options>
using TempSize = nvcompStatus_t(std::size_t, std::size_t, Options, std::size_t*, std::size_t, cudaStream_t);
template <class Options>
using Decompress = nvcompStatus_t(void const* const*, std::size_t const*, std::size_t const*, std::size_t*, std::size_t,
                                  void*, std::size_t, void* const*, Options, nvcompStatus_t*, cudaStream_t);

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
void check_format(double most_of_decoded) {
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
      auto const most =
          most_of_decoded * static_cast<double>(chunks * size) + 65536 + 4500. * static_cast<double>(chunks);
      check(static_cast<double>(found) <= most, Format::name, "more temporary memory than docs/routes.md says");
    }
  std::printf("%s: %zu bytes of temporary memory for 16 chunks of 64 KiB\n", Format::name,
              temporary<Format>(16, std::size_t{1} << 16));
}

}  // namespace

int main() {
  using namespace tessera::detail;
  static_assert(sizeof(nvcompStatus_t) == sizeof(std::int32_t));
  check_format<NvcompZstd, nvcompBatchedZstdDecompressOpts_t>(3.1);
  check_format<NvcompLz4, nvcompBatchedLZ4DecompressOpts_t>(0);
  check_format<NvcompGzip, nvcompBatchedGzipDecompressOpts_t>(0);
  check_format<NvcompDeflate, nvcompBatchedDeflateDecompressOpts_t>(0);
  check_format<NvcompSnappy, nvcompBatchedSnappyDecompressOpts_t>(0);
  return wrong != 0;
}
