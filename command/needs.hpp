// The memory that chunks need in transit.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/metadata/documents.hpp>

#include "arguments.hpp"

namespace cli {

inline std::uint64_t sum_or_most(std::uint64_t a, std::uint64_t b) { return a > ~b ? ~std::uint64_t{0} : a + b; }

// Bytes: larger sums and products stay at 2^58.
inline std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  constexpr auto most = std::uint64_t{1} << 58;
  return b != 0 && a > most / b ? most : a * b;
}

inline std::uint64_t bytes_of_shape(tessera::Extents const& shape, tessera::DataType type) {
  std::uint64_t bytes = type.size;
  for (auto n : shape) bytes = times(bytes, n);
  return bytes;
}

// Memory of a chunk while it is read or written: twice the bytes of its elements, because the encoded bytes are held
// beside them. A shard being read holds its index and some inner chunks at a time; a shard being written is held as it
// was, as its new chunks, and joined.
struct Needs {
  std::uint64_t read, written;
};

inline Needs needs_of(tessera::ArrayMetadata const& array) {
  auto const bytes = bytes_of_shape(array.chunk_shape, array.type);
  auto inner = array;
  take_out_of_shards(inner);
  if (inner.chunk_shape == array.chunk_shape) return {times(bytes, 2), times(bytes, 2)};
  auto const each = bytes_of_shape(inner.chunk_shape, array.type),
             indexes = times(bytes / std::max<std::uint64_t>(each, 1), 16);
  return {times(each, 2) + indexes, times(bytes + bytes / 128 + indexes, 3) + times(each, 4) + (2 << 20)};
}

inline constexpr std::uint64_t always = std::uint64_t{16} << 20;  ///< bytes that may always be used

}  // namespace cli
