// ElementReference: stands for a variable-size element (a string or bytes) in a decoded chunk.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The address and size of the element. Placing copies it like any element of its size. Its holder keeps the bytes
/// alive.
struct ElementReference {
  std::byte const* data;
  std::uint64_t size;

  friend bool operator==(ElementReference a, ElementReference b) {
    return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size) == 0);
  }
};
static_assert(sizeof(ElementReference) == 16);

/// Reads the reference at an address of any alignment.
TESSERA_DECL ElementReference reference_at(std::byte const* at);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/element_reference.ipp>
#endif
