// Elements one by one: what NumPy has lists of coordinates for, and zarr-python vindex.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include <tessera/core/checked.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/view/orthogonal.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 {

/// `Points{std::vector{0, 5, 5}, std::vector{9, 1, 1}}`: the elements (0, 9), (5, 1) and (5, 1), as a list of
/// coordinates per dimension. They may be in any order and repeat; a write takes the last of repeated ones. The memory
/// has one dimension.
class Points {
 public:
  /// Throws: SelectionError, if a coordinate is negative or the lists differ in length.
  template <detail::IndexRange First, detail::IndexRange... More>
  explicit Points(First const& first, More const&... more) : Points{1 + sizeof...(more), std::size(first)} {
    std::size_t d = 1;
    (expect_length(d++, std::size(more)), ...);
    auto* next = places_.get();
    put(next, std::begin(first), std::begin(more)...);
  }
  /// A place in the array each.
  explicit Points(std::vector<Extents> const& places)
      : Points{places.empty() ? any_rank : places[0].rank(), places.size()} {
    auto* next = places_.get();
    for (auto const& place : places) {
      detail::expect_rank("coordinates", place.rank(), places[0]);
      next = std::copy(place.begin(), place.end(), next);
    }
  }

  /// Throws: SelectionError naming the dimension.
  PointList resolve(Extents const& shape) const {
    if (rank_ != any_rank) detail::expect_rank("coordinates", rank_, shape);
    PointList list{{places_.get(), numbers_}, places_, count_};
    ResolvedSelection{list}.expect_inside(shape);
    return list;
  }

 private:
  static constexpr std::size_t any_rank = ~std::size_t{0};  // of no points

  Points(std::size_t rank, std::size_t count)
      : count_{count},
        rank_{rank},
        numbers_{count == 0 ? 0 : checked_size(checked_product(count, rank, "a list of coordinates"), "a list")},
        places_{std::make_shared_for_overwrite<std::uint64_t[]>(numbers_)} {}

  void expect_length(std::size_t d, std::size_t length) const {
    if (length != count_)
      throw SelectionError{
          text({"dimension ", d, ": found ", length, " coordinates, expected ", count_, " as for the others"})};
  }
  template <class... Coordinates>
  void put(std::uint64_t* next, Coordinates... at) const {
    for (std::size_t i = 0; i < count_; ++i)
      ((*next++ = detail::natural(*at++, "a list of coordinates")), ...);
  }

  std::size_t count_, rank_, numbers_;
  std::shared_ptr<std::uint64_t[]> places_;  // the copies of this share them, and what they resolve to
};

}}  // namespace tessera::v0
