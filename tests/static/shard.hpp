// The sample array in shards of 4 x 6, each with 2 x 2 inner chunks and their index at the end: offset and size, or all
// ones where a chunk is missing.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "sample.hpp"

namespace sample {

inline constexpr std::uint64_t shard_rows = 4, shard_columns = 6, inner_chunks = 4;
inline constexpr std::size_t index_size = inner_chunks * 16;
using Index = std::array<std::uint64_t, 2 * inner_chunks>;

// Where an inner chunk is in its shard; none: it is missing.
inline std::optional<tessera::ByteRange> find(Index const& index, std::uint64_t inner) {
  if (index[2 * inner] == ~std::uint64_t{0}) return std::nullopt;
  return tessera::ByteRange{index[2 * inner], index[2 * inner + 1]};
}

inline Index index_of(tessera::ByteView<space::Host> bytes) {
  Index index;
  if (bytes.size < index_size) throw tessera::CodecError{"too short for a shard"};
  std::memcpy(index.data(), bytes.data + bytes.size - index_size, index_size);
  return index;
}

// A shard whose chunks are encoded by an inner pipeline on the host.
template <class P>
Host shard(P const& inner, std::uint64_t first_row) {
  std::vector<std::byte> bytes;
  Index index;
  index.fill(~std::uint64_t{0});
  for (std::uint64_t i = 0; i < inner_chunks; ++i) {
    auto const row = first_row + i / 2 * chunk_rows, column = i % 2 * chunk_columns;
    if (row == 2 && column == 0) continue;
    auto const chunk = encoded(inner, row, column);
    index[2 * i] = bytes.size();
    index[2 * i + 1] = chunk.view().size;
    bytes.insert(bytes.end(), chunk.view().data, chunk.view().data + chunk.view().size);
  }
  auto const* end = reinterpret_cast<std::byte const*>(index.data());
  bytes.insert(bytes.end(), end, end + index_size);
  Host result{bytes.size()};
  std::memcpy(result.span().data, bytes.data(), bytes.size());
  return result;
}

template <class Store, class P>
void write_shards(Store const& store, std::string const& path, std::string_view codecs, P const& inner) {
  tessera::Queue<space::Host> on;
  auto text = document(codecs);
  text.replace(text.find("[2, 3]"), 6, "[4, 6]");
  write_text(store, path + "/zarr.json", text);
  for (std::uint64_t r = 0; r < 2; ++r)
    store.write({path + "/c/" + std::to_string(r) + "/0"}, shard(inner, r * shard_rows).view(), on);
}

}  // namespace sample
