// AdlerSlices: zlib's checksum in kernels: chunks in slices, a block of threads for each. Holds integers and pointers,
// and calls nothing of std::, which nvcc compiles for the host alone.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/encoded_sizes.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// A chunk of a mini-batch, in slices, each for a stored block of deflate (RFC 1951, 3.2.4).
struct ZlibChunk {
  static constexpr std::uint64_t slice = 65535, slice_header = 5;  ///< bytes

  std::byte const* from;
  std::byte* to;
  std::byte const* member;    ///< of gzip, made of the chunk
  std::uint64_t size;         ///< bytes; the maximum, if sizes are in device memory
  std::uint64_t first_slice;  ///< among those of the batch

  TESSERA_HOST_DEVICE static std::uint64_t slices_of(std::uint64_t size) { return (size - 1) / slice + 1; }
  TESSERA_HOST_DEVICE std::uint64_t slices() const { return slices_of(size); }
  TESSERA_HOST_DEVICE std::uint64_t sized(std::size_t const* sizes, std::uint64_t i) const {
    return sizes ? sound_size(sizes[i], size) : size;
  }
};
/// The chunk of slice n: the last one that begins with it or before.
TESSERA_HOST_DEVICE inline std::uint64_t zlib_chunk_of(ZlibChunk const* chunks, std::uint64_t count, std::uint64_t n) {
  std::uint64_t first = 0, left = count;
  while (left > 1) {
    auto const half = left / 2;
    if (chunks[first + half].first_slice <= n) {
      first += half;
      left -= half;
    } else {
      left = half;
    }
  }
  return first;
}

/// The two sums of a checksum (RFC 1950, 8.2), modulo 65521: of bytes, and of bytes times the number of bytes from each
/// to the end.
struct Adler32 {
  static constexpr std::uint32_t modulus = 65521;
  std::uint32_t sum, weighed;
};

/// What each slice adds to the sums of its chunk, by a block of threads.
struct AdlerSlices {
  static constexpr unsigned threads = 256, levels = 8, phases = 1 + levels;  // 2^levels threads
  struct Shared {
    Adler32 parts[threads];
  };

  ZlibChunk const* chunks;
  std::uint64_t count;
  std::size_t const* sizes;  ///< of the chunks; null: those in the list
  Adler32* parts;            ///< one for each slice

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared& shared) const {
    if constexpr (Phase == 0) {
      shared.parts[thread] = part(block, thread);
    } else {
      constexpr unsigned level = Phase - 1, apart = 1u << level;
      auto const first = thread * 2 * apart;
      if (first >= threads) return;
      auto& to = shared.parts[first];
      auto const& other = shared.parts[first + apart];
      to = {(to.sum + other.sum) % Adler32::modulus, (to.weighed + other.weighed) % Adler32::modulus};
      if constexpr (level == levels - 1) parts[block] = to;  // by the one remaining thread
    }
  }

 private:
  TESSERA_HOST_DEVICE Adler32 part(std::uint64_t block, unsigned thread) const {
    auto const number = zlib_chunk_of(chunks, count, block);
    auto const& chunk = chunks[number];
    auto const size = chunk.sized(sizes, number);
    auto const first = (block - chunk.first_slice) * ZlibChunk::slice;
    auto const end = first + ZlibChunk::slice < size ? first + ZlibChunk::slice : size;
    std::uint64_t sum = 0, weighed = 0;
    if (first + thread < end) {
      auto left = static_cast<std::uint32_t>((size - first - thread) % Adler32::modulus);
      for (auto at = first + thread; at < end; at += threads) {
        auto const byte = static_cast<std::uint32_t>(chunk.from[at]);
        sum += byte;
        weighed += std::uint64_t{byte} * left;
        left = left >= threads ? left - threads : left + Adler32::modulus - threads;
      }
    }
    return {static_cast<std::uint32_t>(sum % Adler32::modulus), static_cast<std::uint32_t>(weighed % Adler32::modulus)};
  }
};

}}}  // namespace tessera::v0::detail
