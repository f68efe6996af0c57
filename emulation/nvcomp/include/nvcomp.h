// The part of nvCOMP 6's interface that its stand-in on the emulated CUDA runtime has: names, types, values and meaning
// are nvCOMP's, the text is not. Found before nvCOMP's own header of the same name, if a program is built for the
// emulation.
#pragma once
#define TESSERA_NVCOMP_EMULATION 1

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

#define NVCOMP_VER_MAJOR 6
#define NVCOMP_VER_MINOR 0
#define NVCOMP_VER_PATCH 0

enum nvcompStatus_t {
  nvcompSuccess = 0,
  nvcompErrorInvalidValue = 10,
  nvcompErrorNotSupported = 11,
  nvcompErrorCannotDecompress = 12,
  nvcompErrorCannotVerifyChecksums = 14,
  nvcompErrorAlignment = 17,
  nvcompErrorChunkSizeTooLarge = 18,
  nvcompErrorCudaError = 1000,
  nvcompErrorInternal = 10000,
};
enum nvcompDecompressBackend_t {
  NVCOMP_DECOMPRESS_BACKEND_DEFAULT = 0,
  NVCOMP_DECOMPRESS_BACKEND_HARDWARE = 1,
  NVCOMP_DECOMPRESS_BACKEND_CUDA = 2,
};
enum nvcompType_t { NVCOMP_TYPE_CHAR = 0 };
enum nvcompBitshuffleMode_t { NVCOMP_BITSHUFFLE_NONE = 0 };
enum nvcompBatchedGzipDecompressAlgorithm_t {
  NVCOMP_GZIP_DECOMPRESS_ALGORITHM_NAIVE = 0,
  NVCOMP_GZIP_DECOMPRESS_ALGORITHM_LOOKAHEAD = 1,
};

/// Required alignments in bytes.
struct nvcompAlignmentRequirements_t {
  std::size_t input, output, temp;
};
struct nvcompBatchedZstdDecompressOpts_t {
  nvcompDecompressBackend_t backend;
  char reserved[60];
};
struct nvcompBatchedLZ4DecompressOpts_t {
  nvcompDecompressBackend_t backend;
  int sort_before_hw_decompress;
  nvcompType_t data_type;
  nvcompBitshuffleMode_t bitshuffle_mode;
  char reserved[48];
};
struct nvcompBatchedGzipDecompressOpts_t {
  nvcompDecompressBackend_t backend;
  nvcompBatchedGzipDecompressAlgorithm_t algorithm;
  int sort_before_hw_decompress;
  char reserved[52];
};
struct nvcompBatchedDeflateDecompressOpts_t {
  nvcompDecompressBackend_t backend;
  int sort_before_hw_decompress;
  char reserved[56];
};
struct nvcompBatchedSnappyDecompressOpts_t {
  nvcompDecompressBackend_t backend;
  int sort_before_hw_decompress;
  char reserved[56];
};

// A zeroed one of gzip's asks for algorithm 0 of six; the other formats have no other algorithm.
struct nvcompBatchedZstdCompressOpts_t {
  char reserved[64];
};
struct nvcompBatchedLZ4CompressOpts_t {
  nvcompType_t data_type;
  nvcompBitshuffleMode_t bitshuffle_mode;
  char reserved[56];
};
struct nvcompBatchedGzipCompressOpts_t {
  int algorithm;
  char reserved[60];
};

constexpr std::size_t nvcompZstdDecompressionMaxAllowedChunkSize = (std::size_t{1} << 31) - 1;
constexpr std::size_t nvcompLZ4DecompressionMaxAllowedChunkSize = (std::size_t{1} << 32) - 1;
constexpr std::size_t nvcompGzipNaiveDecompressionMaxAllowedChunkSize = (std::size_t{1} << 32) - 1;
constexpr std::size_t nvcompDeflateDecompressionMaxAllowedChunkSize = (std::size_t{1} << 32) - 1;
constexpr std::size_t nvcompSnappyDecompressionMaxAllowedChunkSize = (std::size_t{1} << 31) - 1;
constexpr std::size_t nvcompZstdCompressionMaxAllowedChunkSize = (std::size_t{1} << 31) - 1;
constexpr std::size_t nvcompLZ4CompressionMaxAllowedChunkSize = std::size_t{1} << 24;
constexpr std::size_t nvcompGzipCompressionMaxAllowedChunkSize = std::size_t{0x7fffffff} << 15;

extern "C" {

char const* nvcompGetStatusString(nvcompStatus_t status);

// The lists are in memory that the device can access, with an entry for each chunk. DecompressAsync and CompressAsync
// work in the stream's order; temp has the size that GetTempSize returns for the numbers of chunks and of decoded
// bytes. Each chunk to compress has room for the size that GetMaxOutputChunkSize returns for the largest.
#define EMULATED_DECOMPRESSION(Format)                                                                                \
  nvcompStatus_t nvcompBatched##Format##DecompressGetRequiredAlignments(nvcompBatched##Format##DecompressOpts_t opts, \
                                                                        nvcompAlignmentRequirements_t* alignments);   \
  nvcompStatus_t nvcompBatched##Format##DecompressGetTempSize(                                                        \
      std::size_t chunks, std::size_t largest, nvcompBatched##Format##DecompressOpts_t opts, std::size_t* temp_size,  \
      std::size_t total, cudaStream_t stream);                                                                        \
  nvcompStatus_t nvcompBatched##Format##DecompressAsync(                                                              \
      void const* const* from, std::size_t const* from_sizes, std::size_t const* rooms, std::size_t* sizes,           \
      std::size_t chunks, void* temp, std::size_t temp_size, void* const* to,                                         \
      nvcompBatched##Format##DecompressOpts_t opts, nvcompStatus_t* statuses, cudaStream_t stream);
#define EMULATED_COMPRESSION(Format)                                                                                  \
  nvcompStatus_t nvcompBatched##Format##CompressGetRequiredAlignments(nvcompBatched##Format##CompressOpts_t opts,     \
                                                                      nvcompAlignmentRequirements_t* alignments);     \
  nvcompStatus_t nvcompBatched##Format##CompressGetTempSize(                                                          \
      std::size_t chunks, std::size_t largest, nvcompBatched##Format##CompressOpts_t opts, std::size_t* temp_size,    \
      std::size_t total, cudaStream_t stream);                                                                        \
  nvcompStatus_t nvcompBatched##Format##CompressGetMaxOutputChunkSize(                                                \
      std::size_t largest, nvcompBatched##Format##CompressOpts_t opts, std::size_t* bound);                           \
  nvcompStatus_t nvcompBatched##Format##CompressAsync(                                                                \
      void const* const* from, std::size_t const* from_sizes, std::size_t largest, std::size_t chunks, void* temp,    \
      std::size_t temp_size, void* const* to, std::size_t* sizes, nvcompBatched##Format##CompressOpts_t opts,         \
      nvcompStatus_t* statuses, cudaStream_t stream);
EMULATED_DECOMPRESSION(Zstd)
EMULATED_DECOMPRESSION(LZ4)
EMULATED_DECOMPRESSION(Gzip)
EMULATED_DECOMPRESSION(Deflate)
EMULATED_DECOMPRESSION(Snappy)
EMULATED_COMPRESSION(Zstd)
EMULATED_COMPRESSION(LZ4)
EMULATED_COMPRESSION(Gzip)
#undef EMULATED_DECOMPRESSION
#undef EMULATED_COMPRESSION

}  // extern "C"
