// Places: a list of grid indices, also in grids whose chunks 64 bits cannot count.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Needs 8 bytes per dimension and index.
class Places {
 public:
  explicit Places(std::size_t rank) : rank_{rank} {}

  void add(Extents const& place);
  std::size_t size() const { return size_; }
  Extents operator[](std::size_t i) const;

  /// Sorts into C order and removes duplicates.
  void sort();

 private:
  std::size_t rank_, size_ = 0;
  std::vector<std::uint64_t> numbers_;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/plan/detail/places.ipp>
#endif
