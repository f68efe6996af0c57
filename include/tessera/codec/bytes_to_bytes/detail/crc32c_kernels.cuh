// Crc32cSlices, AppendCrc32c: the kernels of crc32c: chunks in slices, a block of threads for each; then the slices'
// checksums are combined. Holds integers, pointers and plain arrays, and calls nothing of std::, which nvcc compiles
// for the host alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <tessera/codec/bytes_to_bytes/detail/crc32c_product.hpp>
#include <tessera/codec/detail/encoded_sizes.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// The effect of zero bytes on a register: each multiplies it by x^8.
struct Crc32cShift {
  std::uint32_t by[64]{};  ///< of 2^k bytes

  constexpr Crc32cShift() {
    by[0] = 1u << (31 - 8);
    for (int k = 1; k < 64; ++k) by[k] = crc32c_product(by[k - 1], by[k - 1]);
  }
  TESSERA_HOST_DEVICE std::uint32_t operator()(std::uint32_t crc, std::uint64_t zeros) const {
    for (unsigned k = 0; zeros > 0; ++k, zeros >>= 1)
      if (zeros & 1) crc = crc32c_product(by[k], crc);
    return crc;
  }
};
inline constexpr Crc32cShift crc32c_shift{};

/// The bytes that a checksum covers, and where they are copied to. Slices are whole from the end: the first one may be
/// shorter, because zeros before it do not change a register of zero.
struct Crc32cChunk {
  static constexpr std::uint64_t slice = 16 << 10;  ///< bytes

  std::byte const* from;
  std::byte* to;
  std::uint64_t size;
  std::uint64_t first_slice;  ///< among those of the batch

  /// With the size that another encoder left.
  TESSERA_HOST_DEVICE Crc32cChunk sized(std::size_t const* sizes, std::uint64_t i) const {
    auto chunk = *this;
    if (sizes) chunk.size = sound_size(sizes[i], size);
    return chunk;
  }

  /// An empty chunk has one, too.
  TESSERA_HOST_DEVICE std::uint64_t slices() const { return size == 0 ? 1 : (size - 1) / slice + 1; }

  /// The checksum, from the parts of all slices of the batch.
  TESSERA_HOST_DEVICE std::uint32_t checksum(std::uint32_t const* parts) const {
    std::uint32_t crc = 0;
    for (std::uint64_t i = 0; i < slices(); ++i) crc ^= parts[first_slice + i];
    return ~crc;
  }
};

/// Copies the chunks, and computes what each of their slices adds to the checksum. A block processes a slice, each
/// thread 64 bytes of it; then neighbours are merged in pairs, until one is left.
struct Crc32cSlices {
  static constexpr unsigned threads = 256, levels = 8, phases = 2 + levels;  // 2^levels threads
  static constexpr unsigned each_bits = 6, each = 1u << each_bits;
  static_assert(threads == 1u << levels && threads * each == Crc32cChunk::slice);
  struct Shared {
    std::uint32_t table[256];           // the effect of a byte on a register
    std::uint32_t crc[threads];         // of a thread's bytes, or of several consecutive threads'
    std::byte line[threads][each + 4];  // 17 words: neighbours use different banks
    bool is_there;
  };

  Crc32cChunk const* chunks;
  std::uint64_t count;
  std::uint32_t* parts;                ///< one for each slice
  std::uint32_t* stored;               ///< for each chunk: the checksum that follows its bytes; null: none
  std::size_t const* sizes = nullptr;  ///< of the chunks, if the list has their maxima
  Crc32cShift shift = crc32c_shift;

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    if constexpr (Phase == 0) {
      auto const number = chunk_of(block);
      auto const chunk = chunks[number].sized(sizes, number);
      bool const is_there = block - chunk.first_slice < chunk.slices();  // it may have fewer than the maximum
      if (thread == 0) shared.is_there = is_there;
      if (!is_there) return;
      shared.table[thread] = after_byte(thread);
      copy(chunk, block, thread, shared);
    } else if (!shared.is_there) {
      return;
    } else if constexpr (Phase == 1) {
      std::uint32_t crc = 0;
      for (unsigned i = 0; i < each; ++i)
        crc = crc >> 8 ^ shared.table[(crc ^ static_cast<std::uint32_t>(shared.line[thread][i])) & 0xff];
      shared.crc[thread] = crc;
    } else {
      constexpr unsigned level = Phase - 2, apart = 1u << level;
      auto const first = thread * 2 * apart;
      if (first >= threads) return;
      shared.crc[first] = crc32c_product(shift.by[each_bits + level], shared.crc[first]) ^ shared.crc[first + apart];
      if constexpr (level == levels - 1) finish(block, shared.crc[0]);  // by the one remaining thread
    }
  }

 private:
  TESSERA_HOST_DEVICE static std::uint32_t after_byte(std::uint32_t byte) {
    for (int bit = 0; bit < 8; ++bit) byte = byte >> 1 ^ (byte & 1) * 0x82f63b78u;
    return byte;
  }

  // The chunk of this slice: the last one that begins with it or before.
  TESSERA_HOST_DEVICE std::uint64_t chunk_of(std::uint64_t block) const {
    std::uint64_t first = 0, left = count;
    while (left > 1) {
      auto const half = left / 2;
      if (chunks[first + half].first_slice <= block) {
        first += half;
        left -= half;
      } else {
        left = half;
      }
    }
    return first;
  }

  // The chunk's bytes after this slice.
  TESSERA_HOST_DEVICE static std::uint64_t behind(Crc32cChunk const& chunk, std::uint64_t block) {
    return (chunk.slices() - 1 - (block - chunk.first_slice)) * Crc32cChunk::slice;
  }

  // Byte by byte, because chunks of a shard lie at any address; but neighbouring threads copy neighbouring bytes.
  TESSERA_HOST_DEVICE static void copy(Crc32cChunk const& chunk, std::uint64_t block, unsigned thread, Shared& shared) {
    auto const end = chunk.size - behind(chunk, block);
    auto const zeros = end < Crc32cChunk::slice ? Crc32cChunk::slice - end : 0;
    for (std::uint64_t i = thread; i < Crc32cChunk::slice; i += threads) {
      std::byte byte{};
      if (i >= zeros) {
        auto const at = end + i - Crc32cChunk::slice;
        byte = chunk.from[at];
        chunk.to[at] = byte;
      }
      shared.line[i / each][i % each] = byte;
    }
  }

  // The register begins with ones, before the first slice.
  TESSERA_HOST_DEVICE void finish(std::uint64_t block, std::uint32_t crc) const {
    auto const number = chunk_of(block);
    auto const chunk = chunks[number].sized(sizes, number);
    auto part = shift(crc, behind(chunk, block));
    if (block == chunk.first_slice) {
      part ^= shift(~0u, chunk.size);
      if (stored) stored[number] = checksum_at(chunk.from + chunk.size);
    }
    parts[block] = part;
  }
  TESSERA_HOST_DEVICE static std::uint32_t checksum_at(std::byte const* from) {
    std::uint32_t checksum = 0;
    for (unsigned i = 4; i-- > 0;) checksum = checksum << 8 | static_cast<std::uint32_t>(from[i]);
    return checksum;
  }
};

/// Appends each chunk's checksum to its copy.
struct AppendCrc32c {
  Crc32cChunk const* chunks;
  std::uint32_t const* parts;
  std::size_t const* sizes = nullptr;  ///< as in Crc32cSlices
  std::size_t* after = nullptr;        ///< the resulting sizes; null: not needed

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    auto const chunk = chunks[i].sized(sizes, i);
    auto const checksum = chunk.checksum(parts);
    for (unsigned byte = 0; byte < 4; ++byte)
      chunk.to[chunk.size + byte] = static_cast<std::byte>(checksum >> (8 * byte) & 0xff);
    if (after) after[i] = chunk.size + 4;
  }
};

}  // namespace detail
}}  // namespace tessera::v0
