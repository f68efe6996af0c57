#pragma once
#include <tessera/key/byte_range.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL ByteRange::Resolved ByteRange::resolve(std::uint64_t total) const {
  if (from_end) {
    auto const count = std::min(size, total);
    return {total - count, count};
  }
  if (offset > total)
    throw StoreError{"found a range that begins at byte " + std::to_string(offset) + ", beyond a value of " +
                     std::to_string(total) + " bytes"}
        .in_range_beyond(offset);
  return {offset, std::min(size, total - offset)};
}

}}  // namespace tessera::v0
