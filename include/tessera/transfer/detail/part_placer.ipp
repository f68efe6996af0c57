#pragma once
#include <tessera/transfer/detail/part_placer.hpp>

#include <cstddef>
#include <cstdint>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL Strides stepped(Strides const& dense, Extents const& steps) {
  auto strides = dense;
  for (std::size_t d = 0; d < dense.rank(); ++d) strides[d] *= static_cast<std::int64_t>(steps[d]);
  return strides;
}

}}}  // namespace tessera::v0::detail
