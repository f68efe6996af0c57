#pragma once
#include <tessera/view/detail/layout.hpp>

#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 {

TESSERA_DECL Layout Layout::c_order(Extents const& shape, std::size_t item_size) {
  Layout layout{shape, Strides::filled(shape.rank(), 0), item_size};
  std::uint64_t stride = item_size;  // unsigned, so that overflow wraps: with a length of 0 the others may be any
  for (std::size_t d = shape.rank(); d-- > 0; stride *= shape[d]) layout.strides[d] = static_cast<std::int64_t>(stride);
  return layout;
}

}}  // namespace tessera::v0
