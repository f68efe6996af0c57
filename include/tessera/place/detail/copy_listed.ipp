#pragma once
#include <tessera/place/detail/copy_listed.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include <tessera/place/detail/copy_elements.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/placement.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void copy_any_pairs(std::byte* to, std::byte const* from, std::span<OffsetPair const> pairs,
                                 PlacementForm const& form) {
  for (auto const& pair : pairs)
    if (form.swapped == 1)
      std::memcpy(to + pair.to, from + pair.from, form.item_size);
    else
      copy_any_elements(to + pair.to, from + pair.from, {1, 0, 0}, {1, 0, 0}, form);
}

TESSERA_DECL CopyPairs pair_copier(PlacementForm const& form) {
  auto const size = form.item_size;
  bool const swaps = form.swapped != 1;
  if (swaps && form.swapped * 2 == size) {  // complex numbers: each part separately
    if (size == 8) return copy_pairs<std::uint32_t, 2, true>;
    if (size == 16) return copy_pairs<std::uint64_t, 2, true>;
  } else if (!swaps || form.swapped == size) {
    if (size == 1) return copy_pairs<std::uint8_t, 1, false>;
    if (size == 2) return pair_copier<std::uint16_t>(swaps);
    if (size == 4) return pair_copier<std::uint32_t>(swaps);
    if (size == 8) return pair_copier<std::uint64_t>(swaps);
    if (size == 16 && !swaps) return copy_pairs<std::uint64_t, 2, false>;
  }
  return copy_any_pairs;
}

}}}  // namespace tessera::v0::detail
