// SnappyBlock: a snappy block, as blosc contains it (snappy's format_description.txt).
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

struct SnappyBlock {
  /// One byte, as a literal.
  static constexpr unsigned char harmless[]{1, 0, 0};

  /// It begins with its decoded size: seven bits a byte, lowest first, at most 32 bits.
  TESSERA_HOST_DEVICE static FoundFrame walk(std::byte const* from, std::uint64_t size) {
    std::uint64_t content = 0;
    for (unsigned i = 0; i < 5; ++i) {
      if (i == size) return {FrameProblem::truncated};
      auto const byte = static_cast<std::uint64_t>(from[i]);
      content |= (byte & 0x7f) << (7 * i);
      if (!(byte & 0x80)) return {content >> 32 ? FrameProblem::reserved : FrameProblem::none, 0, content};
    }
    return {FrameProblem::reserved};
  }
};

}  // namespace detail
}}  // namespace tessera::v0
