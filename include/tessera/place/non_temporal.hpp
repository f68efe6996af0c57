// Rows into memory that is far more than the cache holds. Lines of it that are written whole need not be read first,
// nor displace what the cache is better used for: what is decoded next.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tessera { inline namespace v0 { namespace detail {

/// From so many bytes of a target on that is more than caches hold.
inline constexpr std::uint64_t beyond_caches = std::uint64_t{64} << 20;
inline constexpr std::size_t cache_line = 64;  ///< bytes

/// Elsewhere than on x86-64 this is a copy like others.
inline void copy_line_past_cache(std::byte* to, std::byte const* from) {
#if defined(__SSE2__)
  constexpr std::size_t parts = cache_line / sizeof(__m128i);
  __m128i line[parts];
  std::memcpy(line, from, sizeof line);
  for (std::size_t i = 0; i < parts; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, line[i]);
#else
  std::memcpy(to, from, cache_line);
#endif
}

/// The lines that lie whole in a row.
inline void copy_row_past_cache(std::byte* to, std::byte const* from, std::size_t size) {
  auto const into_line = reinterpret_cast<std::uintptr_t>(to) % cache_line;
  auto const before = std::min(size, (cache_line - into_line) % cache_line);
  if (before > 0) std::memcpy(to, from, before);
  auto at = before;
  for (; at + cache_line <= size; at += cache_line) copy_line_past_cache(to + at, from + at);
  if (at < size) std::memcpy(to + at, from + at, size - at);
}

/// Then other threads that are told of it see what was copied so.
inline void finish_past_cache() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Whether rows that are `stride` bytes apart all begin where a line does.
inline bool begin_lines(std::byte const* to, std::int64_t stride) {
  return (reinterpret_cast<std::uintptr_t>(to) | static_cast<std::uint64_t>(stride)) % cache_line == 0;
}
/// A line that is written in parts, past the cache and not, is dearer than one that is read first: worth it are rows of
/// whole lines, and those that have many.
inline bool are_worth_passing_cache(std::byte const* to, std::int64_t stride, std::size_t size) {
  constexpr std::size_t many = 8;
  return size >= many * cache_line || (size % cache_line == 0 && begin_lines(to, stride));
}

}}}  // namespace tessera::v0::detail
