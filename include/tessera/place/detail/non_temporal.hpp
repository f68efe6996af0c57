// copy_row_past_cache: for targets much larger than the cache. Whole lines written past it need not be read first, and
// do not displace more useful data: the chunk decoded next.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/core/config.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tessera { inline namespace v0 { namespace detail {

/// A target of this many bytes or more exceeds the caches.
inline constexpr std::uint64_t beyond_caches = std::uint64_t{64} << 20;
inline constexpr std::size_t cache_line = 64;  ///< bytes

/// Only x86-64 bypasses the cache; elsewhere this is an ordinary copy.
TESSERA_DECL void copy_line_past_cache(std::byte* to, std::byte const* from);

/// Bypasses the cache for whole lines.
TESSERA_DECL void copy_row_past_cache(std::byte* to, std::byte const* from, std::size_t size);

/// Makes these copies visible to threads that are notified afterwards.
inline void finish_past_cache() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Whether rows `stride` bytes apart all begin at a cache line.
TESSERA_DECL bool begin_lines(std::byte const* to, std::int64_t stride);
/// A line written partly past the cache costs more than one read first. So only rows of whole lines, and rows of many
/// lines, are worth it.
TESSERA_DECL bool are_worth_passing_cache(std::byte const* to, std::int64_t stride, std::size_t size);

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/place/detail/non_temporal.ipp>
#endif
