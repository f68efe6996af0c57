// Compressed bytes copied to addresses that a decoder takes, where it does not take any: chunks of a shard, and streams
// in a frame, lie anywhere.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

inline constexpr std::size_t frame_alignment = 16;  ///< of copies; at least what a decoder asks for
TESSERA_HOST_DEVICE constexpr std::size_t aligned_size(std::size_t size) {
  return (size + frame_alignment - 1) / frame_alignment * frame_alignment;
}

/// Places as long as the longest.
struct EqualSlots {
  std::byte* first;
  std::size_t size;
  TESSERA_HOST_DEVICE std::byte* operator()(std::uint64_t i) const { return first + i * size; }
};
struct ListedSlots {
  std::byte* const* list;
  TESSERA_HOST_DEVICE std::byte* operator()(std::uint64_t i) const { return list[i]; }
};

/// A block of threads copies an entry of the list, which then says where the copy is. Byte by byte, but neighbours are
/// taken by neighbours.
template <class Slots>
struct AlignFrames {
  static constexpr unsigned threads = 256, phases = 2;
  struct Shared {};

  void const** from;
  std::size_t const* sizes;
  Slots slots;

  template <unsigned Phase>
  TESSERA_HOST_DEVICE void phase(std::uint64_t i, unsigned thread, Shared&) const {
    auto* const to = slots(i);
    if constexpr (Phase == 0) {
      auto const* const bytes = static_cast<std::byte const*>(from[i]);
      for (std::size_t at = thread; at < sizes[i]; at += threads) to[at] = bytes[at];
    } else if (thread == 0) {  // when nobody reads the entry any more
      from[i] = to;
    }
  }
};

}  // namespace detail
}}  // namespace tessera::v0
