// What stands for an element that varies in size, a string or bytes, in a decoded chunk.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Where its bytes are, and how many: placing moves it as it moves any element of its size. Who has it keeps the bytes.
struct ElementReference {
  std::byte const* data;
  std::uint64_t size;

  friend bool operator==(ElementReference a, ElementReference b) {
    return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size) == 0);
  }
};
static_assert(sizeof(ElementReference) == 16);

/// The one that lies there, however it is aligned.
inline ElementReference reference_at(std::byte const* at) {
  ElementReference reference;
  std::memcpy(&reference, at, sizeof reference);
  return reference;
}

}}}  // namespace tessera::v0::detail
