#pragma once
#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>

#include <cstdint>
#include <string>

#include <tessera/core/config.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::string frame_problem(FoundFrame const& frame) {
  switch (frame.problem) {
    case FrameProblem::blosc2:
      return "they are a blosc2 chunk, and this codec reads only those of blosc 1";
    case FrameProblem::unknown:
      return "they do not start with a frame of this codec";
    case FrameProblem::truncated:
      return "they end before the frame is complete";
    case FrameProblem::reserved:
      return "the frame uses a value that the format reserves";
    case FrameProblem::dictionary:
      return "the frame needs a dictionary";
    case FrameProblem::followed:
      return "more data follows the first frame, and this program's implementation decodes only one";
    case FrameProblem::outside:
      return "an offset or a size in the frame points outside it";
    case FrameProblem::another:
      return "a size in one part of the frame contradicts that of the whole";
    default:
      return to_text({"the frame declares a decoded size of ", frame.content});
  }
}

TESSERA_DECL CodecError frame_error(FoundFrame const& frame, std::uint64_t size, std::uint64_t room) {
  return CodecError{to_text({size, " bytes do not decode to ", room, ": ", frame_problem(frame)})};
}

}}}  // namespace tessera::v0::detail
