// What the kernels that place a batch read: which words of which boxes lie where. Made by placement_plan.hpp.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>

namespace tessera::inline v0 {
namespace detail {

/// Division by one number, of numbers below 2^31: a multiplication and a shift. (Granlund and Montgomery, "Division by
/// Invariant Integers using Multiplication", theorem 4.2.)
struct Division {
  std::uint32_t divisor = 1, magic = std::uint32_t{1} << 31, shift = 31;

  Division() = default;
  /// Requires: 0 < by < 2^31.
  explicit Division(std::uint32_t by) : divisor{by}, shift{31 + static_cast<std::uint32_t>(std::bit_width(by - 1))} {
    magic = static_cast<std::uint32_t>(((std::uint64_t{1} << shift) - 1) / by + 1);
  }
  TESSERA_HOST_DEVICE std::uint32_t quotient(std::uint32_t n) const {
    return static_cast<std::uint32_t>((std::uint64_t{n} * magic) >> shift);
  }
  TESSERA_HOST_DEVICE std::uint32_t remainder(std::uint32_t n) const { return n - quotient(n) * divisor; }
};

/// Axes of a batch when all that continues is joined: eight, and the bytes of an element.
inline constexpr std::size_t most_axes = 9;

/// Boxes have their lengths in common, if they are not at the array's edge.
struct PlacedShape {
  std::uint32_t words;             ///< of the box
  std::uint32_t count[most_axes];  ///< words, per axis
  Division by_steps[most_axes];    ///< by the number of steps that the blocks or words of a box make along the axis
};

/// A box of less than 2^31 words.
struct PlacedBox {
  std::byte const* from;  ///< none: to be filled
  std::byte* to;
  std::uint64_t first_block;
  std::uint32_t shape;
};

struct PlacedAxis {
  std::int64_t from, to;     ///< bytes from one word to the next
  std::uint32_t mirror = 0;  ///< the source's word i is i ^ mirror: where words are smaller than what is swapped
  std::uint32_t step = 0;    ///< a step is 2^step words
};

/// A batch as it is passed to its kernel. Axes are in the order of the destination, the densest last.
struct PlacementTable {
  PlacedBox const* boxes = nullptr;  ///< in device memory, as the next two
  PlacedShape const* shapes = nullptr;
  std::byte const* fill = nullptr;  ///< as many words as make whole elements
  Division fill_words{};
  std::uint32_t box_count = 0, rank = 0;
  std::uint32_t swapped = 1;                     ///< bytes that are reversed together within a word
  std::uint32_t row = 0, column = 0, depth = 0;  ///< axes of a tile: dense in the destination, in the source, the third
  PlacedAxis axes[most_axes]{};

  /// Whose block this is.
  TESSERA_HOST_DEVICE PlacedBox box_of(std::uint64_t block) const {
    std::uint32_t first = 0, count = box_count;
    while (count > 1) {
      auto const half = count / 2;
      if (boxes[first + half].first_block <= block) {
        first += half;
        count -= half;
      } else {
        count = half;
      }
    }
    return boxes[first];
  }
};

// What a thread moves between two waits is what a processor has on its way at a time: some ten KiB of them.
inline constexpr unsigned placing_threads = 256;
constexpr unsigned words_per_thread(unsigned word) { return word < 8 ? 8 : 4; }
/// A tile has 8 KiB: 2^tile_bits words.
constexpr unsigned tile_bits(unsigned word) { return 13 - static_cast<unsigned>(std::countr_zero(word)); }

}  // namespace detail
}  // namespace tessera::inline v0
