// Points: a selection of single elements, like coordinate lists in NumPy and vindex of zarr-python.
#pragma once
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <vector>

#include <tessera/core/dimensions.hpp>
#include <tessera/view/orthogonal.hpp>
#include <tessera/view/selected.hpp>

namespace tessera { inline namespace v0 {

/// `Points{std::vector{0, 5, 5}, std::vector{9, 1, 1}}`: the elements (0, 9), (5, 1) and (5, 1), as a list of
/// coordinates per dimension, in any order and with repeats. If a point repeats, the last element written stays. The
/// memory has one dimension.
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
  /// One position in the array for each point.
  explicit Points(std::vector<Extents> const& places);

  /// Throws: SelectionError naming the dimension.
  PointList resolve(Extents const& shape) const;

 private:
  static constexpr std::size_t any_rank = ~std::size_t{0};  // of no points

  Points(std::size_t rank, std::size_t count);
  void expect_length(std::size_t d, std::size_t length) const;
  template <class... Coordinates>
  void put(std::uint64_t* next, Coordinates... at) const {
    for (std::size_t i = 0; i < count_; ++i)
      ((*next++ = detail::natural(*at++, "a list of coordinates")), ...);
  }

  std::size_t count_, rank_, numbers_;
  std::shared_ptr<std::uint64_t[]> places_;  // shared with copies and with results of resolve()
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/view/detail/points.ipp>
#endif
