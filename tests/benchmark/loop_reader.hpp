// Chunks read by hand, as the loops do it: without metadata, for one known array.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <blosc.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "mapped.hpp"

/// An open file.
class File {
 public:
  explicit File(std::string const& path) : descriptor_{open(path.c_str(), O_RDONLY)} {
    if (descriptor_ < 0) throw std::runtime_error{"cannot open " + path};
  }
  File(File&& other) noexcept : descriptor_{std::exchange(other.descriptor_, -1)} {}
  File& operator=(File&&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  std::size_t size() const {
    struct stat info {};
    if (fstat(descriptor_, &info) != 0) throw std::runtime_error{"cannot look at a file"};
    return static_cast<std::size_t>(info.st_size);
  }
  void read(std::uint8_t* to, std::size_t size, std::size_t offset) const {
    while (size > 0) {
      auto const n = pread(descriptor_, to, size, static_cast<off_t>(offset));
      if (n <= 0) throw std::runtime_error{"a file ends early"};
      to += n, size -= static_cast<std::size_t>(n), offset += static_cast<std::size_t>(n);
    }
  }

 private:
  int descriptor_;
};

/// How the chunks of a kind of array are stored.
struct Form {
  enum class Codec { raw, zstd, gzip, blosc, transposed, zlib } codec;  // the last: transposed and big-endian, too
  std::size_t item, chunk, inner = 0;  // bytes; elements along each axis; of the chunks in a shard

  explicit Form(std::string_view kind) : item(kind.starts_with("brain") ? 1 : 2), chunk(item == 1 ? 128 : 256) {
    codec = kind == "raw"          ? Codec::raw
            : kind == "transposed" ? Codec::transposed
            : kind == "brain-lz4"  ? Codec::blosc
            : kind == "v2-blosc"   ? Codec::blosc
            : kind == "v2-zlib"    ? Codec::zlib
            : kind == "brain-gzip" ? Codec::gzip
                                   : Codec::zstd;
    if (kind.starts_with("shard")) inner = std::stoul(std::string{kind.substr(5)});
  }
  std::size_t chunk_bytes() const { return chunk * chunk * chunk * item; }
  std::size_t inner_bytes() const { return inner * inner * inner * item; }
  std::size_t per_shard() const { return chunk / inner; }  // along each axis
};

/// Destination of a block of elements: its first one, and the bytes from one plane or row to the next.
struct Target {
  std::uint8_t* at;
  std::size_t plane, row;

  Target moved(std::size_t planes, std::size_t rows, std::size_t bytes) const {
    return {at + planes * plane + rows * row + bytes, plane, row};
  }
  bool takes_all(std::size_t edge, std::size_t item) const { return row == edge * item && plane == edge * row; }
  /// Rows that follow each other in memory: rows [first, first + count) of an edge^3 block.
  void put(std::uint8_t const* from, std::size_t edge, std::size_t item, std::size_t first, std::size_t count) const {
    for (auto r = first; r < first + count; ++r, from += edge * item)
      std::memcpy(at + r / edge * plane + r % edge * row, from, edge * item);
  }
};

struct ShardEntry {
  std::uint64_t offset, size;
};

/// State of a thread from chunk to chunk: its scratch is on huge pages.
class ObjectReader {
 public:
  explicit ObjectReader(Form const& form)
      : form_{form},
        encoded_{mapped<std::uint8_t>(form.chunk_bytes() * 5 / 4)},
        decoded_{mapped<std::uint8_t>(form.chunk_bytes() + form.chunk * 64)} {
    if (form.codec == Form::Codec::zlib) planes_ = mapped<std::uint8_t>(decoded_.size());
  }
  ObjectReader(ObjectReader const&) = delete;
  ObjectReader& operator=(ObjectReader const&) = delete;
  ~ObjectReader() {
    ZSTD_freeDCtx(zstd_);
    libdeflate_free_decompressor(deflate_);
  }

  /// A whole chunk, or shard.
  void chunk(File const& file, Target const& to) {
    if (form_.codec == Form::Codec::raw) return raw(file, to);
    if (form_.codec == Form::Codec::transposed) return transposed(file, to);
    auto const size = whole(file);
    if (form_.codec == Form::Codec::zlib) return swapped(size, to);
    if (form_.inner == 0) return place(encoded_.data(), size, form_.chunk, to);
    auto const per = form_.per_shard();
    entries_.resize(per * per * per);
    std::memcpy(entries_.data(), encoded_.data() + size - 4 - per * per * per * 16, per * per * per * 16);
    for (std::size_t i = 0; i < entries_.size(); ++i)
      place(encoded_.data() + entries_[i].offset, entries_[i].size, form_.inner,
            to.moved(i / (per * per) * form_.inner, i / per % per * form_.inner, i % per * form_.inner * form_.item));
  }

  std::vector<ShardEntry> index(File const& file) const {
    auto const per = form_.per_shard();
    std::vector<ShardEntry> entries(per * per * per);
    auto const size = entries.size() * sizeof(ShardEntry);
    file.read(reinterpret_cast<std::uint8_t*>(entries.data()), size, file.size() - 4 - size);
    return entries;
  }
  /// An inner chunk of a shard, or the planes [first, first + count) of one.
  void inner(File const& file, ShardEntry entry, Target const& to) { inner_planes(file, entry, 0, form_.inner, to); }
  void inner_planes(File const& file, ShardEntry entry, std::size_t first, std::size_t count, Target const& to) {
    if (encoded_.size() < entry.size) throw std::runtime_error{"a chunk grows when it is encoded"};
    file.read(encoded_.data(), entry.size, entry.offset);
    decode(encoded_.data(), entry.size, decoded_.data(), form_.inner_bytes());
    put_planes(decoded_.data(), form_.inner, first, count, to);
  }
  /// The planes [first, first + count) of a chunk: where it is raw, nothing else is read.
  void planes(File const& file, std::size_t first, std::size_t count, Target const& to) {
    auto const plane = form_.chunk * form_.chunk * form_.item;
    if (form_.codec == Form::Codec::raw) {
      file.read(decoded_.data(), count * plane, first * plane);
      return put_planes(decoded_.data(), form_.chunk, 0, count, to);
    }
    auto const size = whole(file);
    decode(encoded_.data(), size, decoded_.data(), form_.chunk_bytes());
    put_planes(decoded_.data(), form_.chunk, first, count, to);
  }

  void decode(std::uint8_t const* from, std::size_t size, std::uint8_t* to, std::size_t decoded_size) {
    std::size_t decoded = 0;
    if (form_.codec == Form::Codec::zstd)
      decoded = ZSTD_decompressDCtx(zstd_, to, decoded_size, from, size);
    else if (form_.codec == Form::Codec::gzip)
      libdeflate_gzip_decompress(deflate_, from, size, to, decoded_size, &decoded);
    else if (form_.codec == Form::Codec::zlib)
      libdeflate_zlib_decompress(deflate_, from, size, to, decoded_size, &decoded);
    else
      decoded = static_cast<std::size_t>(blosc_decompress_ctx(from, to, decoded_size, 1));
    if (decoded != decoded_size) throw std::runtime_error{"a chunk that does not decode"};
  }

 private:
  std::size_t whole(File const& file) {
    auto const size = file.size();
    if (encoded_.size() < size) throw std::runtime_error{"a chunk grows when it is encoded"};
    file.read(encoded_.data(), size, 0);
    return size;
  }
  // A tile at a time, so that the copy finds it in cache.
  void raw(File const& file, Target const& to) {
    if (to.takes_all(form_.chunk, form_.item)) return file.read(to.at, form_.chunk_bytes(), 0);
    auto const row = form_.chunk * form_.item, rows = (std::size_t{1} << 20) / row;
    for (std::size_t first = 0; first < form_.chunk * form_.chunk; first += rows) {
      file.read(decoded_.data(), rows * row, first * row);
      to.put(decoded_.data(), form_.chunk, form_.item, first, rows);
    }
  }
  // Directly into place, if all of it is contiguous there.
  void place(std::uint8_t const* from, std::size_t size, std::size_t edge, Target const& to) {
    auto const bytes = edge * edge * edge * form_.item;
    if (to.takes_all(edge, form_.item)) return decode(from, size, to.at, bytes);
    decode(from, size, decoded_.data(), bytes);
    to.put(decoded_.data(), edge, form_.item, 0, edge * edge);
  }
  void put_planes(std::uint8_t const* from, std::size_t edge, std::size_t first, std::size_t count, Target const& to) {
    to.put(from + first * edge * edge * form_.item, edge, form_.item, 0, count * edge);
  }

  // Of 2 bytes an element, axes in reverse. The planes lie a cache line further apart than their size, otherwise those
  // of one column would displace each other.
  void transposed(File const& file, Target const& to) {
    auto const edge = form_.chunk, plane = edge * edge * 2 + 64;
    for (std::size_t k = 0; k < edge; ++k) file.read(decoded_.data() + k * plane, edge * edge * 2, k * edge * edge * 2);
    transpose<false>(decoded_.data(), to);
  }
  // The same for the contiguous output of a compressor, with the bytes of each element swapped.
  void swapped(std::size_t size, Target const& to) {
    auto const edge = form_.chunk, bytes = edge * edge * 2;
    decode(encoded_.data(), size, decoded_.data(), form_.chunk_bytes());
    for (std::size_t k = 0; k < edge; ++k)
      std::memcpy(planes_.data() + k * (bytes + 64), decoded_.data() + k * bytes, bytes);
    transpose<true>(planes_.data(), to);
  }
  template <bool Swaps>
  void transpose(std::uint8_t const* from, Target const& to) const {
    auto const edge = form_.chunk, plane = edge * edge * 2 + 64;
    for (std::size_t j = 0; j < edge; ++j)
      for (std::size_t i = 0; i < edge; i += 8)
        for (std::size_t k = 0; k < edge; k += 8)
          transpose8<Swaps>(from + k * plane + (j * edge + i) * 2, plane, to.at + i * to.plane + j * to.row + k * 2,
                            to.plane);
  }
  // 8 rows of 8 words.
  template <bool Swaps>
  static void transpose8(std::uint8_t const* from, std::size_t from_row, std::uint8_t* to, std::size_t to_row) {
#if defined(__SSE2__)
    __m128i r[8], s[8];
    for (std::size_t i = 0; i < 8; ++i) {
      r[i] = _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + i * from_row));
      if constexpr (Swaps) r[i] = _mm_or_si128(_mm_slli_epi16(r[i], 8), _mm_srli_epi16(r[i], 8));
    }
    for (std::size_t i = 0; i < 4; ++i) {
      s[2 * i] = _mm_unpacklo_epi16(r[2 * i], r[2 * i + 1]);
      s[2 * i + 1] = _mm_unpackhi_epi16(r[2 * i], r[2 * i + 1]);
    }
    for (std::size_t i = 0; i < 2; ++i) {
      r[4 * i] = _mm_unpacklo_epi32(s[4 * i], s[4 * i + 2]);
      r[4 * i + 1] = _mm_unpackhi_epi32(s[4 * i], s[4 * i + 2]);
      r[4 * i + 2] = _mm_unpacklo_epi32(s[4 * i + 1], s[4 * i + 3]);
      r[4 * i + 3] = _mm_unpackhi_epi32(s[4 * i + 1], s[4 * i + 3]);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + 2 * i * to_row), _mm_unpacklo_epi64(r[i], r[i + 4]));
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + (2 * i + 1) * to_row), _mm_unpackhi_epi64(r[i], r[i + 4]));
    }
#else
    for (std::size_t i = 0; i < 8; ++i)
      for (std::size_t k = 0; k < 8; ++k)
        for (std::size_t b = 0; b < 2; ++b) to[i * to_row + k * 2 + b] = from[k * from_row + i * 2 + (b ^ Swaps)];
#endif
  }

  Form form_;
  ZSTD_DCtx* zstd_ = ZSTD_createDCtx();
  libdeflate_decompressor* deflate_ = libdeflate_alloc_decompressor();
  std::span<std::uint8_t> encoded_, decoded_, planes_;
  std::vector<ShardEntry> entries_;
};
