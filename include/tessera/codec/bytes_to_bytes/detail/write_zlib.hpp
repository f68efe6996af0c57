// WriteZlib: zlib streams, made of the members that a gzip encoder made of chunks.
// AdlerSlices: zlib's checksum in kernels: chunks in slices, a block of threads for each. Holds integers and pointers,
// and calls nothing of std::, which nvcc compiles for the host alone.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/gzip_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/zlib_frame.hpp>
#include <tessera/codec/detail/encoded_sizes.hpp>
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

/// Assembles each chunk's stream, with a block of threads for each slice. A chunk that does not shrink is stored in
/// deflate blocks, so that no stream exceeds zlib's bound.
struct WriteZlib {
  static constexpr unsigned threads = 256, phases = 1;
  struct Shared {};

  ZlibChunk const* chunks;
  std::uint64_t count;
  Adler32 const* parts;
  std::size_t const* members;  ///< bytes of each gzip member; null: none, all chunks are stored
  std::size_t room;            ///< bytes available for a member
  std::uint32_t header;        ///< the first two bytes of a stream, little-endian
  EncodedSizes sizes;

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t block, unsigned thread, Shared&) const {
    auto const number = zlib_chunk_of(chunks, count, block);
    auto const& chunk = chunks[number];
    auto const size = chunk.sized(sizes.before, number);
    auto const slice = block - chunk.first_slice;
    auto const stored = size + ZlibChunk::slices_of(size) * ZlibChunk::slice_header;
    bool const is_made = members && sizes.statuses[number] == 0 && members[number] <= room;
    auto const found =
        is_made ? GzipFrame::walk_header(chunk.member, members[number]) : FoundFrame{FrameProblem::unknown};
    auto const deflated =
        found.problem == FrameProblem::none ? members[number] - found.payload - GzipFrame::end : stored;
    auto* const to = chunk.to + ZlibFrame::header;
    if (deflated < stored) {
      auto const first = slice * ZlibChunk::slice, last = first + ZlibChunk::slice;
      bool const is_last = slice + 1 == chunk.slices();
      copy(chunk.member + found.payload + first, to + first, is_last || last > deflated ? deflated : last, first,
           thread);
    } else if (slice * ZlibChunk::slice < size) {
      store(chunk, size, slice, to, thread);
    }
    if (slice != 0 || thread != 0) return;
    auto const content = deflated < stored ? deflated : stored;
    put(chunk.to, header, ZlibFrame::header);
    put_reversed(to + content, checksum(chunk, size));
    sizes.after[number] = ZlibFrame::header + content + ZlibFrame::checksum;
    if (!members) sizes.statuses[number] = 0;
  }

 private:
  TESSERA_HOST_DEVICE static void store(ZlibChunk const& chunk, std::uint64_t size, std::uint64_t slice, std::byte* to,
                                        unsigned thread) {
    auto const first = slice * ZlibChunk::slice, left = size - first;
    auto const length = left < ZlibChunk::slice ? left : ZlibChunk::slice;
    to += slice * (ZlibChunk::slice + ZlibChunk::slice_header);
    if (thread == 0) {
      put(to, length == left, 1);  // the last block
      put(to + 1, length, 2);
      put(to + 3, ~length, 2);
    }
    copy(chunk.from + first, to + ZlibChunk::slice_header, length, 0, thread);
  }
  TESSERA_HOST_DEVICE std::uint32_t checksum(ZlibChunk const& chunk, std::uint64_t size) const {
    std::uint64_t sum = 1, weighed = size % Adler32::modulus;
    for (std::uint64_t i = 0; i < chunk.slices(); ++i) {
      sum += parts[chunk.first_slice + i].sum;
      weighed += parts[chunk.first_slice + i].weighed;
    }
    return static_cast<std::uint32_t>(weighed % Adler32::modulus << 16 | sum % Adler32::modulus);
  }
  TESSERA_HOST_DEVICE static void put(std::byte* to, std::uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; ++i) to[i] = static_cast<std::byte>(value >> 8 * i & 0xff);
  }
  TESSERA_HOST_DEVICE static void put_reversed(std::byte* to, std::uint32_t value) {
    for (unsigned i = 0; i < 4; ++i) to[i] = static_cast<std::byte>(value >> (24 - 8 * i) & 0xff);
  }
  // Bytes from `first` to `end`; `from` and `to` are the addresses of the first.
  TESSERA_HOST_DEVICE static void copy(std::byte const* from, std::byte* to, std::uint64_t end, std::uint64_t first,
                                       unsigned thread) {
    for (auto at = first + thread; at < end; at += threads) to[at - first] = from[at - first];
  }
};

}}}  // namespace tessera::v0::detail
