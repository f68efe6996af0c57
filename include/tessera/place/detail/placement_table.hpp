// PlacementTable: where the words of a batch's boxes are, for kernels. Made by PlacementPlan.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Division by a fixed number, of numbers below 2^31: a multiplication and a shift. (Granlund and Montgomery, "Division
/// by Invariant Integers using Multiplication", theorem 4.2.)
struct Division {
  std::uint32_t divisor = 1, magic = std::uint32_t{1} << 31, shift = 31;

  Division() = default;
  /// Requires: 0 < by < 2^31.
  explicit Division(std::uint32_t by);
  TESSERA_HOST_DEVICE std::uint32_t quotient(std::uint32_t n) const {
    return static_cast<std::uint32_t>((std::uint64_t{n} * magic) >> shift);
  }
  TESSERA_HOST_DEVICE std::uint32_t remainder(std::uint32_t n) const { return n - quotient(n) * divisor; }
};

/// A box has fewer words; larger ones are divided.
inline constexpr auto most_words = std::uint64_t{1} << 31;

/// Joined axes of a batch: at most eight, and the bytes of an element.
inline constexpr std::size_t most_axes = 9;

/// Boxes that are not at the array's edge share their lengths.
struct PlacedShape {
  std::uint32_t words;             ///< of the box
  std::uint32_t count[most_axes];  ///< words, per axis
  Division by_steps[most_axes];    ///< by the number of steps that the blocks or words of a box make along the axis
};

/// A box of less than most_words.
struct PlacedBox {
  std::byte const* from;  ///< null: to be filled
  std::byte* to;
  std::uint64_t first_block;
  std::uint32_t shape, blocks;
};

struct PlacedAxis {
  std::int64_t from, to;     ///< bytes from one word to the next
  std::uint32_t mirror = 0;  ///< the source's word i is i ^ mirror, if words are smaller than swapped units
  std::uint32_t step = 0;    ///< a step is 2^step words
};

/// The box to which a block belongs. Boxes are in the order of their first blocks, the first of which is 0.
template <class Box>
TESSERA_HOST_DEVICE Box const& box_of_block(Box const* boxes, std::uint32_t count, std::uint64_t block) {
  while (count > 1) {
    auto const half = count / 2;
    if (boxes[half].first_block <= block) {
      boxes += half;
      count -= half;
    } else {
      count = half;
    }
  }
  return *boxes;
}

/// Bytes of a table's variable parts that fit among a kernel's arguments, which have at most 4096.
inline constexpr std::size_t most_in_arguments = 3584;

/// A batch as passed to its kernel. Axes are in the order of the destination, densest last. The variable parts (boxes,
/// their shapes, a fill of whole words and elements) are among the kernel's arguments, if they fit, to save a copy;
/// otherwise in device memory.
struct PlacementTable {
  std::byte const* there = nullptr;  ///< in device memory; null: `here`
  std::uint32_t boxes_at = 0, shapes_at = 0, fill_at = 0;
  Division fill_words{};
  Division by_box{};  ///< by the blocks of the first box: most have as many
  std::uint32_t box_count = 0, rank = 0;
  std::uint32_t swapped = 1;                     ///< bytes reversed together within a word
  std::uint32_t row = 0, column = 0, depth = 0;  ///< axes of a tile: dense in the destination, in the source, the third
  PlacedAxis axes[most_axes]{};
  alignas(16) std::byte here[most_in_arguments];  // uninitialised where unused

  TESSERA_HOST_DEVICE std::byte const* parts() const { return there ? there : here; }
  TESSERA_HOST_DEVICE PlacedBox const* boxes() const { return reinterpret_cast<PlacedBox const*>(parts() + boxes_at); }
  TESSERA_HOST_DEVICE PlacedShape const& shape(std::uint32_t i) const {
    return reinterpret_cast<PlacedShape const*>(parts() + shapes_at)[i];
  }
  TESSERA_HOST_DEVICE std::byte const* fill() const { return parts() + fill_at; }

  /// The box to which a block belongs.
  TESSERA_HOST_DEVICE PlacedBox box_of(std::uint64_t block) const {
    auto const* const all = boxes();
    if (block < most_words) {
      auto const guess = by_box.quotient(static_cast<std::uint32_t>(block));
      auto const box = all[guess < box_count ? guess : 0];
      if (box.first_block <= block && block - box.first_block < box.blocks) return box;
    }
    return box_of_block(all, box_count, block);
  }
};

// The words that threads move between two waits are the bytes in flight on a multiprocessor: some ten KiB.
inline constexpr unsigned placing_threads = 256;
constexpr unsigned words_per_thread(unsigned word) { return word < 8 ? 8 : 4; }
/// A tile has 16 KiB: 2^tile_bits words.
constexpr unsigned tile_bits(unsigned word) { return 14 - static_cast<unsigned>(std::countr_zero(word)); }

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/placement_table.ipp>
#endif
