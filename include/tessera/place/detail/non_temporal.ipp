#pragma once
#include <tessera/place/detail/non_temporal.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL void copy_line_past_cache(std::byte* to, std::byte const* from) {
#if defined(__SSE2__)
  constexpr std::size_t parts = cache_line / sizeof(__m128i);
  __m128i line[parts];
  std::memcpy(line, from, sizeof line);
  for (std::size_t i = 0; i < parts; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, line[i]);
#else
  std::memcpy(to, from, cache_line);
#endif
}

TESSERA_DECL void copy_row_past_cache(std::byte* to, std::byte const* from, std::size_t size) {
  auto const into_line = reinterpret_cast<std::uintptr_t>(to) % cache_line;
  auto const before = std::min(size, (cache_line - into_line) % cache_line);
  if (before > 0) std::memcpy(to, from, before);
  auto at = before;
  for (; at + cache_line <= size; at += cache_line) copy_line_past_cache(to + at, from + at);
  if (at < size) std::memcpy(to + at, from + at, size - at);
}

TESSERA_DECL bool begin_lines(std::byte const* to, std::int64_t stride) {
  return (reinterpret_cast<std::uintptr_t>(to) | static_cast<std::uint64_t>(stride)) % cache_line == 0;
}

TESSERA_DECL bool are_worth_passing_cache(std::byte const* to, std::int64_t stride, std::size_t size) {
  constexpr std::size_t many = 8;
  return size >= many * cache_line || (size % cache_line == 0 && begin_lines(to, stride));
}

}}}  // namespace tessera::v0::detail
