// BloscReader: the last step of blosc, done while reading: streams, each with a shuffled byte or bit of elements, read
// as contiguous bytes. Holds integers and pointers, and calls nothing of std::, which nvcc compiles for the host alone.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/codec/bytes_to_bytes/detail/blosc_frame.hpp>
#include <tessera/core/config.hpp>
#include <tessera/place/detail/placement_table.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// A chunk whose streams are decoded.
struct BloscBytes {
  std::byte const* first;  ///< where its bytes belong; mostly they are elsewhere
  std::byte const* whole;  ///< the bytes of a stored chunk; null: in streams
  std::uint64_t first_stream;
  std::uint32_t content;
  std::uint32_t splits;  ///< streams of a whole block
  BloscFilter filter;
  Division block, element, stream;  ///< by bytes of a whole block, of an element, of a stream of a whole block

  BloscBytes(BloscFrame const& frame, std::byte const* from, std::byte const* to, std::uint64_t stream_before);
};

/// Reads the bytes of a chunk from an offset on.
class BloscReader {
 public:
  TESSERA_HOST_DEVICE BloscReader(BloscBytes const& chunk, std::byte const* const* streams, std::uint32_t offset)
      : chunk_{chunk}, streams_{streams + chunk.first_stream} {
    enter(chunk.block.quotient(offset));
    at_ = offset - block_ * chunk.block.divisor;
    element_ = chunk.element.quotient(at_);
    byte_ = at_ - element_ * chunk.element.divisor;
  }

  TESSERA_HOST_DEVICE std::uint32_t next() {
    if (at_ == size_) {
      enter(block_ + 1);
      at_ = element_ = byte_ = 0;
    }
    auto const result = value();
    ++at_;
    if (++byte_ == chunk_.element.divisor) {
      byte_ = 0;
      ++element_;
    }
    return result;
  }

 private:
  TESSERA_HOST_DEVICE void enter(std::uint32_t block) {
    auto const whole = chunk_.block.divisor, left = chunk_.content - block * whole;
    block_ = block;
    size_ = left < whole ? left : whole;
    splits_ = left < whole ? 1 : chunk_.splits;
    elements_ = chunk_.element.quotient(size_);
    filter_ = chunk_.filter == BloscFilter::bits && elements_ % 8 != 0 ? BloscFilter::none : chunk_.filter;
  }

  TESSERA_HOST_DEVICE std::byte const* stream(std::uint32_t i) const {
    return chunk_.whole ? chunk_.whole : streams_[std::uint64_t{block_} * chunk_.splits + i];
  }
  // All rows of the byte in the block, contiguous.
  TESSERA_HOST_DEVICE std::byte const* rows() const {
    return splits_ > 1 ? stream(byte_) : stream(0) + std::uint64_t{byte_} * elements_;
  }
  TESSERA_HOST_DEVICE std::uint32_t value() const {
    if (filter_ == BloscFilter::none || element_ >= elements_) {  // unshuffled, or after the last whole element
      auto const which = splits_ > 1 ? chunk_.stream.quotient(at_) : 0;
      return static_cast<std::uint32_t>(stream(which)[at_ - which * chunk_.stream.divisor]);
    }
    if (filter_ == BloscFilter::bytes) return static_cast<std::uint32_t>(rows()[element_]);
    auto const* const column = rows() + element_ / 8;
    std::uint32_t bits = 0;
    for (std::uint32_t bit = 0; bit < 8; ++bit)
      bits |= (static_cast<std::uint32_t>(column[std::uint64_t{bit} * (elements_ / 8)]) >> element_ % 8 & 1) << bit;
    return bits;
  }

  BloscBytes const& chunk_;
  std::byte const* const* streams_;
  std::uint32_t block_ = 0, size_ = 0, splits_ = 1, elements_ = 0;  // of the block
  BloscFilter filter_ = BloscFilter::none;
  std::uint32_t at_ = 0, element_ = 0, byte_ = 0;  // in the block; in the elements; in the element
};

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/codec/bytes_to_bytes/detail/unshuffle.ipp>
#endif
