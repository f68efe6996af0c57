// What a compressed chunk says of itself: read by walking its frame, without decoding it. Kernels walk frames in device
// memory, so nothing of std:: is called.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

enum class FrameProblem : std::uint32_t {
  none,
  unknown,     ///< not the beginning of such a frame
  truncated,   ///< the bytes end before it does
  reserved,    ///< it has what its format reserves
  dictionary,  ///< it cannot be decoded alone
  followed,    ///< there are bytes behind it, of another one maybe
  too_large,   ///< it says that it decodes to more than there is room for
  outside,     ///< an offset or a size in it leads out of it
  another,     ///< a part of it says another size than the whole does
};

struct FoundFrame {
  static constexpr std::uint64_t unsaid = ~std::uint64_t{0};

  FrameProblem problem = FrameProblem::none;
  std::uint64_t payload = 0;       ///< where what the decoder takes begins
  std::uint64_t content = unsaid;  ///< the decoded size in bytes that the frame says
  std::uint64_t tail = 0;          ///< bytes behind what the decoder takes
};

/// A chunk as the host lists it.
struct FramedChunk {
  std::byte const* from;
  std::byte* to;
  std::uint64_t size, room;  ///< bytes, of each
};

/// The integer of so many bytes, little-endian, at any address.
TESSERA_HOST_DEVICE inline std::uint64_t frame_integer(std::byte const* from, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = bytes; i-- > 0;) value = value << 8 | static_cast<std::uint64_t>(from[i]);
  return value;
}

/// What is wrong with bytes, in words.
inline std::string frame_problem(FoundFrame const& frame) {
  switch (frame.problem) {
    case FrameProblem::unknown:
      return "they do not begin as a frame of this codec does";
    case FrameProblem::truncated:
      return "they end before their frame does";
    case FrameProblem::reserved:
      return "their frame has what the format reserves";
    case FrameProblem::dictionary:
      return "their frame needs a dictionary";
    case FrameProblem::followed:
      return "more follows their first frame, and this program's implementation takes one";
    case FrameProblem::outside:
      return "an offset or a size in their frame leads out of it";
    case FrameProblem::another:
      return "a part of their frame says another size than the whole does";
    default:
      return text({"their frame says that it decodes to ", frame.content});
  }
}

/// What is wrong with a chunk of `size` bytes that is to decode to at most `room`.
inline CodecError frame_error(FoundFrame const& frame, std::uint64_t size, std::uint64_t room) {
  return CodecError{text({size, " bytes do not decode to ", room, ": ", frame_problem(frame)})};
}

}  // namespace detail
}}  // namespace tessera::v0
