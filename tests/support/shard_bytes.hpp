// A shard assembled byte by byte, valid or not.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include <support/chain.hpp>
#include <support/store_conformance.hpp>
#include <tessera/pipeline/detail/shard_index.hpp>

namespace test {

/// An index as the usual codecs store it, with a correct checksum for any entries.
inline std::string index_bytes(std::vector<tessera::ShardEntry> const& entries) {
  std::vector<std::uint64_t> words;
  for (auto const& entry : entries) words.insert(words.end(), {entry.offset, entry.size});
  Extents shape{entries.size(), 2};
  auto const bytes = stored(memory_of(words), shape, tessera::data_type_of<std::uint64_t>(),
                            tessera::codec::Bytes{std::endian::little}, tessera::codec::Crc32c{});
  return text(view(bytes));
}

/// The elements of a 4 x 4 array, of which chunk [r, c] of 2 x 2 is one letter four times: A, B, C, D.
inline std::string const four_letters = "AABBAABBCCDDCCDD";

/// The index of a shard of those four chunks, which a test changes; stored without compression.
struct ShardBytes {
  std::string chunks = "AAAABBBBCCCCDDDD";
  std::vector<tessera::ShardEntry> entries{{0, 4}, {4, 4}, {8, 4}, {12, 4}};

  ShardBytes& set(std::size_t i, std::uint64_t offset, std::uint64_t size) {
    entries[i] = {offset, size};
    return *this;
  }
  std::string text() const { return chunks + index_bytes(entries); }
};

}  // namespace test
