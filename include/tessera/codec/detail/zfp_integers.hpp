// zfp_promote, zfp_demote: integers as zfp stores them: signed, of 32 or 64 bits (zarr-extensions, codecs/zfp).
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail {

template <std::integral T>
using ZfpInteger = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// Shifts integers of 8 and 16 bits up to the sign, and centres unsigned ones on 0. Unsigned integers of 32 and 64 bits
/// are unchanged. Throws: CodecError, if one of these is too large; zarrs stores another number for it.
template <std::integral T>
void zfp_promote(T const* from, std::size_t count, ZfpInteger<T>* to) {
  constexpr auto most = std::numeric_limits<ZfpInteger<T>>::max();
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (sizeof(T) < 4) {
      constexpr auto bits = 8 * static_cast<int>(sizeof(T));
      to[i] = (from[i] - (std::is_unsigned_v<T> ? 1 << (bits - 1) : 0)) * (1 << (31 - bits));
    } else {
      if (std::is_unsigned_v<T> && from[i] > static_cast<T>(most))
        throw CodecError{to_text({"element ", i, " is ", std::to_string(from[i]),
                                  ", but zfp encodes unsigned integers only up to ", std::to_string(most)})};
      to[i] = static_cast<ZfpInteger<T>>(from[i]);
    }
  }
}
/// The nearest integer of the type: numbers stored with few bits may lie beyond it.
template <std::integral T>
void zfp_demote(ZfpInteger<T> const* from, std::size_t count, T* to) {
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (sizeof(T) < 4) {
      constexpr auto bits = 8 * static_cast<int>(sizeof(T));
      auto const value = (from[i] >> (31 - bits)) + (std::is_unsigned_v<T> ? 1 << (bits - 1) : 0);
      to[i] = static_cast<T>(std::clamp<int>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    } else {
      to[i] = static_cast<T>(std::is_unsigned_v<T> && from[i] < 0 ? 0 : from[i]);
    }
  }
}

}}}  // namespace tessera::v0::detail
