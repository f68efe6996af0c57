// NvcompDeflate: nvCOMP's deflate, for streams in zlib's frames.
#pragma once
#include <cstddef>

#include <nvcomp.h>

#include <tessera/codec/bytes_to_bytes/detail/zlib_frame.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct NvcompDeflate {
  using Frame = ZlibFrame;
  static constexpr char const* name = "nvcompBatchedDeflate";
  static constexpr auto alignments = &::nvcompBatchedDeflateDecompressGetRequiredAlignments;
  static constexpr auto temporary = &::nvcompBatchedDeflateDecompressGetTempSize;
  static constexpr auto decompress = &::nvcompBatchedDeflateDecompressAsync;
  static constexpr nvcompBatchedDeflateDecompressOpts_t options{NVCOMP_DECOMPRESS_BACKEND_CUDA, 0, {}};
  static constexpr std::size_t most = nvcompDeflateDecompressionMaxAllowedChunkSize;
  static constexpr bool is_given_copies = true;  // it reads at multiples of four; a deflate stream begins at two
};

}  // namespace detail
}}  // namespace tessera::v0
