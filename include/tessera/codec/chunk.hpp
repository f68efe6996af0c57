// What codecs are told of a chunk, and what they are given to work on.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/checked.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/field.hpp>
#include <tessera/memory/bytes.hpp>

namespace tessera { inline namespace v0 {

/// A chunk as it reaches a codec when encoding: known from metadata alone.
struct ChunkSpecification {
  Extents shape;
  DataType type;
  std::vector<std::byte> fill{};  ///< one element, in the machine's byte order: shards have missing chunks too
  std::vector<ComponentRun> components{};  ///< of an element that is a struct

  /// Throws: MetadataError, if that is more than memory can hold.
  std::size_t size_in_bytes() const {
    return checked_size(checked_product(element_count(shape, "the chunk shape"), type.size, "the chunk's size"),
                        "the chunk");
  }
};

/// One chunk of a batch. The codec reads `from`, writes into `to`, and puts the number of bytes that it wrote into
/// `size`.
template <MemorySpace From, MemorySpace To = From>
struct CodecTask {
  ByteView<From> from;
  ByteSpan<To> to;
  std::size_t size = 0;
};

}}  // namespace tessera::v0
