// Elements in memory: where they are, and how far apart.
#pragma once
#include <cstddef>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>

namespace tessera { inline namespace v0 {

/// Where elements go: the first one's address, and how far apart they are in bytes.
template <MemorySpace Space>
struct StridedSpan {
  std::byte* data;
  Strides strides;
};

/// Where elements come from: the first one's address, and how far apart they are in bytes.
template <MemorySpace Space>
struct StridedView {
  std::byte const* data;
  Strides strides;
};

}}  // namespace tessera::v0
