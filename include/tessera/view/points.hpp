// Elements one by one: what NumPy has lists of coordinates for, and zarr-python vindex.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>
#include <tessera/view/orthogonal.hpp>
#include <tessera/view/selected.hpp>

namespace tessera::inline v0 {

/// `Points{std::vector{0, 5, 5}, std::vector{9, 1, 1}}`: the elements (0, 9), (5, 1) and (5, 1), a list of coordinates
/// per dimension. In any order and with repeats, of which a write takes the last. The memory has one dimension.
class Points {
 public:
  /// Throws: SelectionError, if a coordinate is negative or the lists are not of one length.
  template <detail::IndexRange First, detail::IndexRange... More>
  explicit Points(First const& first, More const&... more) : count_{std::size(first)}, rank_{1 + sizeof...(more)} {
    places_.resize(count_ * rank_);
    std::size_t d = 0;
    put(d++, first);
    (put(d++, more), ...);
  }
  /// A place in the array each.
  explicit Points(std::vector<Extents> const& places)
      : count_{places.size()}, rank_{places.empty() ? any_rank : places[0].rank()} {
    for (auto const& place : places) {
      detail::expect_rank("coordinates", place.rank(), places[0]);
      places_.insert(places_.end(), place.begin(), place.end());
    }
  }

  /// Throws: SelectionError naming the dimension.
  PointList resolve(Extents const& shape) const {
    if (rank_ != any_rank) detail::expect_rank("coordinates", rank_, shape);
    PointList list{places_, count_};
    Selected selected{std::move(list)};
    selected.expect_inside(shape);
    return {std::move(selected.points.first), count_};
  }

 private:
  static constexpr std::size_t any_rank = ~std::size_t{0};  // of no points

  template <class R>
  void put(std::size_t d, R const& coordinates) {
    if (std::size(coordinates) != count_)
      throw SelectionError{text({"dimension ", d, ": found ", std::size(coordinates), " coordinates, expected ",
                                 count_, " as for the others"})};
    for (auto at = d; auto index : coordinates) {
      places_[at] = detail::natural(index, "a list of coordinates");
      at += rank_;
    }
  }

  std::size_t count_, rank_;
  std::vector<std::uint64_t> places_{};
};

}  // namespace tessera::inline v0
