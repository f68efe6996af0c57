#pragma once
#include <tessera/core/detail/element_reference.hpp>

#include <cstddef>
#include <cstring>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL ElementReference reference_at(std::byte const* at) {
  ElementReference reference;
  std::memcpy(&reference, at, sizeof reference);
  return reference;
}

}}}  // namespace tessera::v0::detail
