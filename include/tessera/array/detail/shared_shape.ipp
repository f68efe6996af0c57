#pragma once
#include <tessera/array/detail/shared_shape.hpp>

#include <mutex>

#include <tessera/core/dimensions.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void SharedShape::set(Extents const& shape) {
  std::lock_guard lock{mutex_};
  shape_ = shape;
}

}}}  // namespace tessera::v0::detail
