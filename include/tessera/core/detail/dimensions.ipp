#pragma once
#include <tessera/core/dimensions.hpp>

#include <cstdint>
#include <limits>
#include <string>

#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/detail/checked.hpp>
#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void refuse_number(std::int64_t found) {
  throw SelectionError{to_text({"found ", found, " among lengths or indices of dimensions, expected 0 or more"})};
}

TESSERA_DECL void refuse_number(std::uint64_t found) {
  throw SelectionError{
      to_text({"found ", found, " among signed numbers, expected at most ", std::numeric_limits<std::int64_t>::max()})};
}

[[gnu::noinline]] TESSERA_DECL void refuse_rank() {
  throw MetadataError{"more than " + std::to_string(max_rank) + " dimensions"};
}

}  // namespace detail

TESSERA_DECL std::uint64_t element_count(Extents const& shape, std::string_view what) {
  std::uint64_t count = 1;
  for (auto n : shape)
    if (n == 0) return 0;
  for (auto n : shape) count = checked_product(count, n, what);
  return count;
}

TESSERA_DECL std::uint64_t count_or_most(Extents const& shape) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t count = 1;
  for (auto n : shape)
    if (n == 0) return 0;
  for (auto n : shape) count = count > most / n ? most : count * n;
  return count;
}

}}  // namespace tessera::v0
