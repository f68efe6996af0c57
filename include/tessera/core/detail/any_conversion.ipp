#pragma once
#include <tessera/core/detail/any_conversion.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL bool AnyConversion::convert(std::byte* to, std::byte const* from, std::uint64_t count) const {
  constexpr std::uint64_t block = 2048;  // is converted again, if a result is not finite
  if (count <= block) return convert_(*this, to, from, static_cast<std::size_t>(count));
  bool fits = true;
  for (std::uint64_t i = 0; i < count; i += block)
    fits &=
        convert_(*this, to + i * to_size, from + i * from_size, static_cast<std::size_t>(std::min(block, count - i)));
  return fits;
}

}}}  // namespace tessera::v0::detail
