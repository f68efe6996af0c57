// ChunkSpecification, CodecTask and ChunkPart: a chunk as codecs see it, and their input and output.
#pragma once
#include <cstddef>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/bytes.hpp>

namespace tessera { inline namespace v0 {

/// A chunk as it reaches a codec when encoding: known from metadata alone.
struct ChunkSpecification {
  Extents shape;                  ///< in elements
  DataType type;                  ///< of its elements
  std::vector<std::byte> fill{};  ///< one element, in native byte order: shards may lack chunks, too
  std::vector<ComponentRun> components{};  ///< of a struct element

  /// Throws: MetadataError, if memory cannot hold it.
  std::size_t size_in_bytes() const;
};

/// One chunk of a batch. The codec reads `from`, writes into `to`, and sets `size` to the number of bytes written.
template <MemorySpace From, MemorySpace To = From>
struct CodecTask {
  ByteView<From> from;
  ByteSpan<To> to;
  std::size_t size = 0;
};

/// Some bytes of a chunk: `size` bytes from byte `first` on, of `whole`.
struct ChunkPart {
  std::size_t first, size, whole;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/detail/chunk.ipp>
#endif
