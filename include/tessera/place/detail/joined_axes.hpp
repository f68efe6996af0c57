// JoinedAxes: the axes of a batch of placements. Dimensions contiguous on both sides in every box are joined to one
// axis.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/placement_kinds.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Contiguous dimensions, with the strides of the last one.
struct JoinedAxis {
  std::int64_t from = 0, to = 0;  ///< bytes
  std::uint32_t dimensions = 0;   ///< bit d: dimension d of the boxes
  std::uint64_t bytes = 1;        ///< of the element, if it is included
  std::uint64_t longest = 1;      ///< words, over all boxes

  std::uint64_t length(Extents const& count) const;
};

/// In the order of the destination, densest last; the last axis is the bytes of elements, unless these are one word.
class JoinedAxes {
 public:
  /// Words have at most `most_at_once` bytes.
  void find(PlacementKinds const& kinds, PlacementForm const& form, std::uint64_t most_at_once);
  /// Adds an axis of length 1, before all others.
  void add_first();

  std::size_t rank() const { return rank_; }
  JoinedAxis const& operator[](std::size_t d) const { return axes_[d]; }
  unsigned word() const { return word_; }        ///< bytes read and written at once
  bool has_bytes() const { return has_bytes_; }  ///< the last axis is the bytes of elements: a word may hold several
  std::uint64_t words(std::size_t d, Extents const& count) const;

 private:
  using Box = PlacementKinds::Box;

  // Longest destination stride first, element bytes last. Omits dimensions of length 1 in all boxes.
  void sort(PlacementKinds const& kinds, PlacementForm const& form);
  void join(PlacementKinds const& kinds);
  static bool continues(JoinedAxis const& outer, JoinedAxis const& inner, Box const& box);

  // The largest that divides all addresses, strides and lengths.
  void choose_word(PlacementKinds const& kinds, std::uint64_t most_at_once);
  void count_words(PlacementKinds const& kinds);

  JoinedAxis axes_[max_rank + 2];
  std::size_t rank_ = 0;
  unsigned word_ = 1;
  bool has_bytes_ = true;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/joined_axes.ipp>
#endif
