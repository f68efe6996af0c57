// Upper limits for the contents of a document, far above those of real documents. They keep the time, memory and stack
// that a hostile document costs in proportion to its length.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace bounds {

// Text of a document. A value in memory needs up to 40 times the bytes of its text.
inline constexpr std::size_t document_bytes = std::size_t{64} << 20;
inline constexpr std::size_t values = std::size_t{1} << 21;   ///< in a document, consolidated metadata included
inline constexpr std::size_t nesting = 256;                   ///< nested lists and objects
inline constexpr std::size_t members = std::size_t{1} << 20;  ///< of one object: attributes, copies of documents

// Array.
inline constexpr std::size_t dimensions = 32;  ///< NumPy 1 and TensorStore have the same limit
inline constexpr std::size_t codecs = 1024;    ///< of one chain: an array, a shard, an index; filters of Zarr v2
inline constexpr std::size_t shards = 16;      ///< nested
inline constexpr std::uint64_t inner_chunks = std::uint64_t{1} << 30;  ///< of one shard: an index of 16 GiB
inline constexpr std::size_t chunk_runs = std::size_t{1} << 18;        ///< of one dimension of a rectilinear grid
inline constexpr std::size_t storage_transformers = 1024;

// Element.
inline constexpr std::size_t fields = 1024;  ///< of a struct, nested ones included: names are compared pairwise
inline constexpr std::uint32_t element_bytes = 1 << 20;
inline constexpr std::size_t map_pairs = 16;  ///< of cast_value's scalar_map, in each direction

}}}  // namespace tessera::v0::bounds
