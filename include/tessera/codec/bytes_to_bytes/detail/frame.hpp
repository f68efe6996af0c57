// FoundFrame: what the frame of a compressed chunk states, found without decoding. Kernels walk frames in device
// memory, so nothing of std:: is called.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

enum class FrameProblem : std::uint32_t {
  none,
  unknown,     ///< not the beginning of such a frame
  truncated,   ///< the bytes end before the frame does
  reserved,    ///< it has values that its format reserves
  dictionary,  ///< it needs one to be decoded
  followed,    ///< bytes follow it, maybe of another frame
  too_large,   ///< it states more decoded bytes than the room
  outside,     ///< an offset or a size leads out of it
  another,     ///< a part states another size than the whole
  blosc2,      ///< a frame of blosc2, where blosc 1 is expected
};

struct FoundFrame {
  static constexpr std::uint64_t unsaid = ~std::uint64_t{0};

  FrameProblem problem = FrameProblem::none;
  std::uint64_t payload = 0;       ///< where the decoder's input begins
  std::uint64_t content = unsaid;  ///< decoded bytes that the frame states
  std::uint64_t tail = 0;          ///< bytes after the decoder's input
};

/// A chunk as the host lists it.
struct FramedChunk {
  std::byte const* from;
  std::byte* to;
  std::uint64_t size, room;  ///< bytes, of each
};

/// The little-endian integer of `bytes` bytes, at any address.
TESSERA_HOST_DEVICE inline std::uint64_t frame_integer(std::byte const* from, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = bytes; i-- > 0;) value = value << 8 | static_cast<std::uint64_t>(from[i]);
  return value;
}

/// The problem, in words.
TESSERA_DECL std::string frame_problem(FoundFrame const& frame);

/// The error of a chunk of `size` bytes that must decode to at most `room`.
TESSERA_DECL CodecError frame_error(FoundFrame const& frame, std::uint64_t size, std::uint64_t room);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/bytes_to_bytes/detail/frame.ipp>
#endif
