// PointTable, read by the kernel that places the elements of points; and PointPlan, with which the host makes it.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placement_table.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// Coordinates in device memory.
struct PointCoordinates {
  std::int64_t const* first = nullptr;
  std::int64_t by_point = 0, by_dimension = 0;  ///< distances, in coordinates

  TESSERA_HOST_DEVICE std::int64_t at(std::uint64_t point, std::uint32_t d) const {
    return first[static_cast<std::int64_t>(point) * by_point + std::int64_t{d} * by_dimension];
  }
};

/// Points in device memory that are sorted by chunk, and the memory of their elements.
struct SortedPoints {
  PointCoordinates coordinates{};
  std::uint32_t const* order = nullptr;  ///< numbers of points, chunk by chunk
  std::int64_t stride = 0;               ///< bytes in memory from the element of one number to that of the next
  bool to_chunks = false;                ///< elements go from memory to chunks
};

/// The points of one chunk. One of the two addresses is the chunk's, and the other the memory of the point of number 0.
struct PointsOfChunk {
  std::byte const* from;  ///< null: elements in memory get the fill value
  std::byte* to;
  Extents origin;         ///< index of the chunk's first element in the array
  std::uint64_t first;    ///< in SortedPoints::order
  std::uint64_t count;
};

/// Points of less than 2^31 words.
struct PlacedPoints {
  std::byte const* from;  ///< null: to be filled
  std::byte* to;
  std::uint64_t first_block, first;
  std::uint32_t words, origin;
};

/// A batch as passed to its kernel. The variable parts (boxes, their origins, the chunks' strides, a fill of one
/// element) are among the arguments or in device memory, as in PlacementTable.
struct PointTable {
  std::byte const* there = nullptr;  ///< in device memory; null: `here`
  std::uint32_t boxes_at = 0, origins_at = 0, strides_at = 0, fill_at = 0;
  Division item_words{};  ///< words of an element
  std::uint32_t box_count = 0, rank = 0;
  std::uint32_t swapped = 1;  ///< bytes reversed together within a word
  std::uint32_t mirror = 0;   ///< the source's word i is i ^ mirror, if words are smaller than swapped units
  SortedPoints points{};
  alignas(16) std::byte here[most_in_arguments];  // uninitialised where unused

  TESSERA_HOST_DEVICE std::byte const* parts() const { return there ? there : here; }
  TESSERA_HOST_DEVICE std::int64_t origin(std::uint32_t i) const {
    return reinterpret_cast<std::int64_t const*>(parts() + origins_at)[i];
  }
  TESSERA_HOST_DEVICE std::int64_t stride(std::uint32_t d) const {
    return reinterpret_cast<std::int64_t const*>(parts() + strides_at)[d];
  }
  TESSERA_HOST_DEVICE std::byte const* fill() const { return parts() + fill_at; }

  /// Where the n-th element of a box is: distances in bytes from its two addresses.
  TESSERA_HOST_DEVICE OffsetPair offsets_of(PlacedPoints const& box, std::uint32_t n) const {
    std::uint64_t const point = points.order[box.first + n];
    auto const in_memory = static_cast<std::int64_t>(point) * points.stride;
    std::int64_t in_chunk = 0;
    for (std::uint32_t d = 0; d < rank; ++d)
      in_chunk += (points.coordinates.at(point, d) - origin(box.origin + d)) * stride(d);
    return points.to_chunks ? OffsetPair{in_memory, in_chunk} : OffsetPair{in_chunk, in_memory};
  }

  /// The box to which a block belongs.
  TESSERA_HOST_DEVICE PlacedPoints box_of(std::uint64_t block) const {
    return box_of_block(reinterpret_cast<PlacedPoints const*>(parts() + boxes_at), box_count, block);
  }
};

/// Divides the points of some chunks among the blocks of one kernel. Reused, to keep its vectors' memory.
class PointPlan {
 public:
  /// Divides chunks of `limit` words or more. Of the form's strides, those of the chunks count. Throws: Error, if a
  /// device cannot place the elements.
  void make(std::span<PointsOfChunk const> batch, PlacementForm const& form, SortedPoints const& points,
            std::uint64_t limit) {
    boxes.clear();
    origins.clear();
    table = {};
    blocks = moved = 0;
    bool const is_swapped_by_words =
        std::has_single_bit(form.swapped) && form.swapped <= 8 && form.item_size % form.swapped == 0;
    if (form.item_size >= std::size_t{1} << 30 || !is_swapped_by_words)
      throw Error{to_text({"a device cannot place elements of ", form.item_size,
                           " bytes whose byte order is reversed in groups of ", form.swapped})};
    auto const& of_chunk = points.to_chunks ? form.to_strides : form.from_strides;
    strides.assign(of_chunk.begin(), of_chunk.end());
    choose_word(batch, form, points.stride);
    fill.assign(form.fill.data, form.fill.data + form.fill.size);
    table.rank = static_cast<std::uint32_t>(strides.size());
    table.points = points;
    for (auto const& chunk : batch) add(chunk, form.item_size, limit);
    table.box_count = static_cast<std::uint32_t>(boxes.size());
  }

  PointTable table;  ///< without its variable parts
  std::vector<PlacedPoints> boxes;
  std::vector<std::int64_t> origins, strides;
  std::vector<std::byte> fill;
  std::uint64_t blocks = 0;  ///< of the kernel
  std::uint64_t moved = 0;   ///< bytes
  unsigned word = 1;         ///< bytes read and written at once

 private:
  // The largest that divides all addresses, distances and elements.
  void choose_word(std::span<PointsOfChunk const> batch, PlacementForm const& form, std::int64_t in_memory) {
    std::uint64_t together = 16 | form.item_size | static_cast<std::uint64_t>(in_memory);
    for (auto const stride : strides) together |= static_cast<std::uint64_t>(stride);
    for (auto const& chunk : batch)
      together |= reinterpret_cast<std::uintptr_t>(chunk.from) | reinterpret_cast<std::uintptr_t>(chunk.to);
    word = 1u << std::countr_zero(together);
    table.item_words = Division{static_cast<std::uint32_t>(form.item_size) / word};
    if (form.swapped > word) table.mirror = static_cast<std::uint32_t>(form.swapped) / word - 1;
    table.swapped = std::min(static_cast<std::uint32_t>(form.swapped), word);
  }

  void add(PointsOfChunk const& chunk, std::size_t item_size, std::uint64_t limit) {
    std::uint64_t const each = table.item_words.divisor, most = std::max<std::uint64_t>((limit - 1) / each, 1);
    auto const origin = static_cast<std::uint32_t>(origins.size());
    for (auto const index : chunk.origin) origins.push_back(static_cast<std::int64_t>(index));
    for (std::uint64_t done = 0; done < chunk.count;) {
      auto const count = std::min(most, chunk.count - done), words = count * each;
      boxes.push_back(
          {chunk.from, chunk.to, blocks, chunk.first + done, static_cast<std::uint32_t>(words), origin});
      blocks += (words - 1) / (placing_threads * words_per_thread(word)) + 1;
      done += count;
    }
    moved += chunk.count * item_size;
  }
};

}  // namespace detail
}}  // namespace tessera::v0
