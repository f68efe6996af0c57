// ConvertedCopy: copies and converts numbers in blocks, so that intermediate data stays in the first-level cache.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/detail/any_conversion.hpp>
#include <tessera/place/detail/copy_elements.hpp>
#include <tessera/place/detail/copy_listed.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/non_temporal.hpp>
#include <tessera/place/detail/placement.hpp>
#include <tessera/place/detail/plane.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Copies and converts planes and pairs of numbers; swapped bytes are on the array's side. Does not bypass the cache:
/// with conversion that was slower.
class ConvertedCopy {
  static constexpr std::uint64_t block = 2048;  // numbers
  struct Tile {
    alignas(cache_line) std::byte given[block * sizeof(std::uint64_t)];
    alignas(cache_line) std::byte made[block * sizeof(std::uint64_t)];
  };

 public:
  ConvertedCopy(AnyConversion const& conversion, PlacementForm const& form);
  bool fits() const { return fits_; }

  /// As a CopyPlane.
  void operator()(std::byte* to, std::byte const* from, Axis column, Axis row, PlacementForm const&);

  /// As CopyPairs.
  void operator()(std::byte* to, std::byte const* from, std::span<OffsetPair const> pairs, PlacementForm const&);

 private:
  void convert(std::byte* to, std::byte const* from, std::uint64_t count) {
    fits_ &= conversion_.convert(to, from, count);
  }

  // Gathers the source in the order of the destination, then converts, into the destination or into a tile that is
  // copied there.
  void copy_tile(std::byte* to, std::byte const* from, Axis const& column, Axis const& row, bool is_there,
                 bool is_dense, Tile& tile);

  AnyConversion const& conversion_;
  PlacementForm given_, made_;
  CopyPlane gather_{element_copier(given_)}, scatter_{element_copier(made_)};
  CopyPairs gather_pairs_{pair_copier(given_)}, scatter_pairs_{pair_copier(made_)};
  std::int64_t from_size_{static_cast<std::int64_t>(conversion_.from_size)},
      to_size_{static_cast<std::int64_t>(conversion_.to_size)};
  bool fits_ = true;
};
}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/copy_converted.ipp>
#endif
