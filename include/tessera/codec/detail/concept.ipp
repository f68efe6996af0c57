#pragma once
#include <tessera/codec/concept.hpp>

#include <cstddef>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL std::size_t ChunkSpecification::size_in_bytes() const {
  return checked_size(checked_product(element_count(shape, "the chunk shape"), type.size, "the chunk's size"),
                      "the chunk");
}

}}  // namespace tessera::v0
