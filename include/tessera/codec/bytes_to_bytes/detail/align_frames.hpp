// AlignFrames: copies compressed bytes to aligned addresses for decoders that require them. Chunks of a shard, and
// streams in a frame, lie anywhere.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

inline constexpr std::size_t frame_alignment = 16;  ///< of copies; at least any decoder's requirement
TESSERA_HOST_DEVICE constexpr std::size_t aligned_size(std::size_t size) {
  return (size + frame_alignment - 1) / frame_alignment * frame_alignment;
}

/// Slots as long as the longest entry.
struct EqualSlots {
  std::byte* first;
  std::size_t size;
  TESSERA_HOST_DEVICE std::byte* operator()(std::uint64_t i) const { return first + i * size; }
};
struct ListedSlots {
  std::byte* const* list;
  TESSERA_HOST_DEVICE std::byte* operator()(std::uint64_t i) const { return list[i]; }
};

/// A block of threads copies an entry of the list, which then points to the copy. Byte by byte, but neighbouring
/// threads copy neighbouring bytes.
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
    } else if (thread == 0) {  // after all threads have read the entry
      from[i] = to;
    }
  }
};

}  // namespace detail
}}  // namespace tessera::v0
