// Bytes of 0 and 1 as the bits that Arrow's masks and bools are, and bits read back.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <tessera/core/detail/checked.hpp>

namespace tessera { inline namespace v0 { namespace arrow_c { namespace detail {

using Bits = std::vector<std::uint8_t>;

// Bit i % 8 of byte i / 8 is `is_set(i)`.
template <class IsSet>
std::shared_ptr<Bits> bits_of(std::uint64_t count, IsSet&& is_set) {
  auto bits = std::make_shared<Bits>(checked_size(count / 8 + (count % 8 != 0), "the bits"));
  for (std::uint64_t i = 0; i < count; ++i)
    if (is_set(i)) (*bits)[static_cast<std::size_t>(i / 8)] |= static_cast<std::uint8_t>(1u << (i % 8));
  return bits;
}
inline std::shared_ptr<Bits> packed(std::byte const* bytes, std::uint64_t count) {
  return bits_of(count, [&](std::uint64_t i) { return bytes[i] != std::byte{0}; });
}

inline bool bit(void const* bits, std::uint64_t i) {
  return (static_cast<std::uint8_t const*>(bits)[i / 8] >> (i % 8) & 1) != 0;
}

}}}}  // namespace tessera::v0::arrow_c::detail
