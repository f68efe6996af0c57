// Misuse of nvCOMP's stand-in, with undefined behaviour in nvCOMP: a GPU may return any data, or none.
#include <cstring>
#include <string>
#include <string_view>

#include <nvcomp.h>

#include "mistake.hpp"

namespace wrong {
namespace {

// "tessera", as an uncompressed frame or member.
constexpr std::string_view zstd{"\x28\xb5\x2f\xfd\x20\x07\x39\0\0tessera", 16};
constexpr std::string_view deflate{"\x01\x07\0\xf8\xfftessera", 12};
constexpr std::string_view snappy{"\x07\x18tessera", 9};
constexpr std::string_view gzip{"\x1f\x8b\x08\0\0\0\0\0\0\xff\x01\x07\0\xf8\xfftessera\xb3\x63\x2a\x73\x07\0\0\0", 30};

struct Lists {
  void const* from;
  void* to;
  std::size_t size, room, decoded;
  nvcompStatus_t status;
};

void expect(nvcompStatus_t status) {
  if (status != nvcompSuccess) good(cudaErrorUnknown);
}

// One chunk, in page-locked memory except its output and temporary memory.
template <class Decompress>
bool decodes(std::string_view chunk, std::size_t temp_size, std::size_t temp_at, Decompress&& decompress,
             std::size_t at = 0) {
  Pinned<char> from{64}, temp{temp_size + 16};
  Device<char> to{64};
  Pinned<Lists> lists{1};
  Stream stream;
  std::memcpy(from.data() + at, chunk.data(), chunk.size());
  lists[0] = {from.data() + at, to.data(), chunk.size(), 7, 0, nvcompErrorInternal};
  expect(decompress(&lists[0].from, &lists[0].size, &lists[0].room, &lists[0].decoded, std::size_t{1},
                    temp.data() + temp_at, temp_size, &lists[0].to, &lists[0].status, stream));
  stream.wait();
  auto const found = read(to.data(), 7);
  return lists[0].status == nvcompSuccess && lists[0].decoded == 7 &&
         std::string_view{found.data(), found.size()} == "tessera";
}

bool decodes_zstd(std::string_view chunk, std::size_t less = 0, std::size_t temp_at = 0) {
  nvcompBatchedZstdDecompressOpts_t const options{NVCOMP_DECOMPRESS_BACKEND_CUDA, {}};
  std::size_t wanted = 0;
  expect(nvcompBatchedZstdDecompressGetTempSize(1, 7, options, &wanted, 7, nullptr));
  return decodes(chunk, wanted - less, temp_at,
                 [&](auto from, auto sizes, auto rooms, auto decoded, auto n, auto temp, auto temp_size, auto to,
                     auto statuses, cudaStream_t stream) {
                   return nvcompBatchedZstdDecompressAsync(from, sizes, rooms, decoded, n, temp, temp_size, to, options,
                                                           statuses, stream);
                 });
}
bool decodes_gzip(std::string_view chunk) {
  nvcompBatchedGzipDecompressOpts_t const options{
      NVCOMP_DECOMPRESS_BACKEND_CUDA, NVCOMP_GZIP_DECOMPRESS_ALGORITHM_NAIVE, 0, {}};
  return decodes(chunk, 0, 0,
                 [&](auto from, auto sizes, auto rooms, auto decoded, auto n, auto temp, auto temp_size, auto to,
                     auto statuses, cudaStream_t stream) {
                   return nvcompBatchedGzipDecompressAsync(from, sizes, rooms, decoded, n, temp, temp_size, to, options,
                                                           statuses, stream);
                 });
}
bool decodes_deflate(std::string_view chunk, std::size_t at = 0) {
  nvcompBatchedDeflateDecompressOpts_t const options{NVCOMP_DECOMPRESS_BACKEND_CUDA, 0, {}};
  auto const decompress = [&](auto from, auto sizes, auto rooms, auto decoded, auto n, auto temp, auto temp_size,
                              auto to, auto statuses, cudaStream_t stream) {
    return nvcompBatchedDeflateDecompressAsync(from, sizes, rooms, decoded, n, temp, temp_size, to, options, statuses,
                                               stream);
  };
  return decodes(chunk, 0, 0, decompress, at);
}
bool decodes_snappy(std::string_view chunk) {
  nvcompBatchedSnappyDecompressOpts_t const options{NVCOMP_DECOMPRESS_BACKEND_CUDA, 0, {}};
  return decodes(chunk, 0, 0,
                 [&](auto from, auto sizes, auto rooms, auto decoded, auto n, auto temp, auto temp_size, auto to,
                     auto statuses, cudaStream_t stream) {
                   return nvcompBatchedSnappyDecompressAsync(from, sizes, rooms, decoded, n, temp, temp_size, to,
                                                             options, statuses, stream);
                 });
}

bool damaged_zstd(bool cured) { return decodes_zstd(cured ? zstd : zstd.substr(0, 12)); }
Mistake const of_damaged_zstd{"nvcomp: a damaged zstd frame", Caught::always,
                              "chunk 0 is no valid frame, and then nvCOMP's behaviour is undefined", damaged_zstd};

bool temporary_memory(bool cured) { return decodes_zstd(zstd, cured ? 0 : 1); }
Mistake const of_temporary_memory{"nvcomp: less temporary memory than it asked for", Caught::always,
                                  "chunk 0 has too little temporary memory", temporary_memory};

bool alignment(bool cured) { return decodes_zstd(zstd, 0, cured ? 8 : 4); }
Mistake const of_alignment{"nvcomp: temporary memory at an address that it does not take", Caught::always,
                           "chunk 0 has misaligned temporary memory", alignment};

bool damaged_gzip(bool cured) {
  auto text = std::string{gzip};
  if (!cured) text[23] = '?';
  return decodes_gzip(text);
}
Mistake const of_damaged_gzip{"nvcomp: a gzip member with another checksum", Caught::always,
                              "chunk 0 is no valid member", damaged_gzip};

bool members(bool cured) { return decodes_gzip(std::string{gzip} + (cured ? "" : std::string{gzip})); }
Mistake const of_members{"nvcomp: two gzip members", Caught::always, "chunk 0 has more than one member", members};

bool damaged_deflate(bool cured) { return decodes_deflate(cured ? deflate : deflate.substr(0, 11)); }
Mistake const of_damaged_deflate{"nvcomp: a deflate stream that is cut off", Caught::always,
                                 "chunk 0 is no valid deflate stream", damaged_deflate};

bool followed_deflate(bool cured) { return decodes_deflate(std::string{deflate} + (cured ? "" : "1234")); }
Mistake const of_followed_deflate{"nvcomp: a deflate stream and a checksum", Caught::always,
                                  "chunk 0 has bytes behind its deflate stream", followed_deflate};

bool misaligned_deflate(bool cured) { return decodes_deflate(deflate, cured ? 4 : 2); }
Mistake const of_misaligned_deflate{"nvcomp: a deflate stream at an address that it does not take", Caught::always,
                                    "chunk 0 is misaligned", misaligned_deflate};

// Three bytes, and four copied from four before.
bool snappy_offset(bool cured) {
  constexpr std::string_view beyond{"\x07\x08tes\x01\x04", 7};
  return decodes_snappy(cured ? snappy : beyond);
}
Mistake const of_snappy_offset{"nvcomp: a snappy block that copies from before its beginning", Caught::always,
                               "chunk 0 is no valid block", snappy_offset};

bool snappy_end(bool cured) { return decodes_snappy(cured ? snappy : snappy.substr(0, 8)); }
Mistake const of_snappy_end{"nvcomp: a snappy block that is cut off", Caught::always, "chunk 0 is no valid block",
                            snappy_end};

}  // namespace
}  // namespace wrong
