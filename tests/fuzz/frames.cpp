// Parsing frames of any bytes: no access is out of bounds, and for a zstd frame that is accepted libzstd reports the
// same end and size.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <lz4.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <support/walked_in_windows.hpp>
#include <tessera/codec/bytes_to_bytes/detail/gzip_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/lz4_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/zstd_frame.hpp>

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace tessera::detail;
  std::vector<std::byte> from(size);  // a block of its own, so that a sanitizer detects reads beyond it
  for (std::size_t i = 0; i < size; ++i) from[i] = std::byte{data[i]};
  auto const frame = ZstdFrame::walk(from.data(), size);
  if (frame.problem == FrameProblem::none) {
    auto const end = ZSTD_findFrameCompressedSize(from.data(), size);
    auto const content = ZSTD_getFrameContentSize(from.data(), size);
    if (ZSTD_isError(end)) {  // of windows that would need more memory than libzstd allows
      if (ZSTD_getErrorCode(end) != ZSTD_error_frameParameter_windowTooLarge) std::abort();
    } else if (end != size ||
               content != (frame.content == FoundFrame::unsaid ? ZSTD_CONTENTSIZE_UNKNOWN : frame.content)) {
      std::abort();
    }
  }
  auto const member = GzipFrame::walk(from.data(), size);
  auto const block = Lz4Frame::walk(from.data(), size);
  if (member.problem == FrameProblem::none && size < 20) std::abort();
  if (block.problem == FrameProblem::none && block.payload >= size) std::abort();
  // For an accepted block liblz4 reports the same size.
  auto const sound = Lz4Block::walk(from.data(), size);
  auto const same = test::walked_in_windows(from.data(), size);
  if (same.problem != sound.problem || same.content != sound.content) std::abort();
  constexpr std::uint64_t most = 1 << 20;
  if (sound.problem == FrameProblem::none && sound.content <= most) {
    std::vector<char> to(sound.content + 1);
    auto const done = LZ4_decompress_safe(reinterpret_cast<char const*>(from.data()), to.data(), static_cast<int>(size),
                                          static_cast<int>(sound.content));
    if (done < 0 || static_cast<std::uint64_t>(done) != sound.content) std::abort();
  }
  return 0;
}
