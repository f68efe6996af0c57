// Chunks written by hand, as the loops do it: under another name, then renamed.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include "loop_reader.hpp"

inline void sync_folder(std::string const& path) {
  int const folder = open(path.c_str(), O_RDONLY | O_DIRECTORY);
  if (folder < 0 || fsync(folder) != 0) throw std::runtime_error{"cannot sync " + path};
  close(folder);
}

inline void write_file(std::string const& folder, std::string const& name, std::uint8_t const* from, std::size_t size,
                       bool syncs) {
  auto const path = folder + "/" + name, unfinished = path + ".unfinished";
  int const file = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
  if (file < 0) throw std::runtime_error{"cannot make " + unfinished};
  while (size > 0) {
    auto const n = write(file, from, size);
    if (n <= 0) throw std::runtime_error{"cannot write " + unfinished};
    from += n, size -= static_cast<std::size_t>(n);
  }
  if ((syncs && fsync(file) != 0) || close(file) != 0 || rename(unfinished.c_str(), path.c_str()) != 0)
    throw std::runtime_error{"cannot write " + path};
  if (syncs) sync_folder(folder);
}

inline std::uint32_t crc32c_by_hand(std::uint8_t const* from, std::size_t size) {
  std::uint32_t crc = ~0u;
  for (std::size_t i = 0; i < size; ++i) {
    crc ^= from[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
  }
  return ~crc;
}

/// State of a thread from chunk to chunk.
class Writer {
 public:
  Writer(Form const& form, bool syncs)
      : form_{form},
        syncs_{syncs},
        chunk_{mapped<std::uint8_t>(form.chunk_bytes())},
        encoded_{mapped<std::uint8_t>(ZSTD_compressBound(form.chunk_bytes()) * 2)} {}
  Writer(Writer const&) = delete;
  Writer& operator=(Writer const&) = delete;
  ~Writer() { ZSTD_freeCCtx(zstd_); }

  /// A chunk, or a shard, of the elements at `from`.
  void chunk(std::string const& folder, std::string const& name, Target const& from) {
    if (form_.codec == Form::Codec::raw) {
      gather(from, form_.chunk);
      return write_file(folder, name, chunk_.data(), chunk_.size(), syncs_);
    }
    write_file(folder, name, encoded_.data(), form_.inner == 0 ? encode(from, form_.chunk, 0) : shard(from), syncs_);
  }

 private:
  void gather(Target const& from, std::size_t edge) {
    auto const row = edge * form_.item;
    for (std::size_t r = 0; r < edge * edge; ++r)
      std::memcpy(chunk_.data() + r * row, from.at + r / edge * from.plane + r % edge * from.row, row);
  }
  // Its size, at that place of encoded_.
  std::size_t encode(Target const& from, std::size_t edge, std::size_t at) {
    gather(from, edge);
    auto const size = ZSTD_compressCCtx(zstd_, encoded_.data() + at, encoded_.size() - at, chunk_.data(),
                                        edge * edge * edge * form_.item, 0);
    if (ZSTD_isError(size)) throw std::runtime_error{"a chunk that cannot be encoded"};
    return size;
  }
  std::size_t shard(Target const& from) {
    auto const per = form_.per_shard();
    std::vector<ShardEntry> entries;
    std::size_t at = 0;
    for (std::size_t i = 0; i < per * per * per; ++i) {
      auto const size = encode(
          from.moved(i / (per * per) * form_.inner, i / per % per * form_.inner, i % per * form_.inner * form_.item),
          form_.inner, at);
      entries.push_back({at, size});
      at += size;
    }
    auto const index_size = entries.size() * sizeof(ShardEntry);
    std::memcpy(encoded_.data() + at, entries.data(), index_size);
    auto const crc = crc32c_by_hand(encoded_.data() + at, index_size);
    std::memcpy(encoded_.data() + at + index_size, &crc, sizeof crc);
    return at + index_size + sizeof crc;
  }

  Form form_;
  bool syncs_;
  ZSTD_CCtx* zstd_ = ZSTD_createCCtx();
  std::span<std::uint8_t> chunk_, encoded_;
};
