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
  explicit Points(First const& first, More const&... more) : rank_{1 + sizeof...(more)} {
    runs_.count.assign(std::size(first), 1);
    runs_.first.resize(runs_.count.size() * rank_);
    std::size_t d = 0;
    put(d++, first);
    (put(d++, more), ...);
  }
  /// A place in the array each.
  explicit Points(std::vector<Extents> const& places) : rank_{places.empty() ? any_rank : places[0].rank()} {
    for (auto const& place : places) {
      detail::expect_rank("coordinates", place.rank(), places[0]);
      runs_.first.insert(runs_.first.end(), place.begin(), place.end());
      runs_.count.push_back(1);
    }
  }

  /// Throws: SelectionError naming the dimension.
  PointRuns resolve(Extents const& shape) const {
    if (rank_ != any_rank) detail::expect_rank("coordinates", rank_, shape);
    Selected selected{runs_};
    selected.expect_inside(shape);
    return std::move(selected.points);
  }

 private:
  static constexpr std::size_t any_rank = ~std::size_t{0};  // of no points

  template <class R>
  void put(std::size_t d, R const& coordinates) {
    if (std::size(coordinates) != runs_.count.size())
      throw SelectionError{text({"dimension ", d, ": found ", std::size(coordinates), " coordinates, expected ",
                                 runs_.count.size(), " as for the others"})};
    for (auto at = d; auto index : coordinates) {
      runs_.first[at] = detail::natural(index, "a list of coordinates");
      at += rank_;
    }
  }

  std::size_t rank_;
  PointRuns runs_{};
};

}  // namespace tessera::inline v0
