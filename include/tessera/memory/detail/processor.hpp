// has_crc32c: what the processor can do.
#pragma once

#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace tessera { inline namespace v0 { namespace detail {

/// Whether it has the instruction for CRC-32C: that of SSE 4.2, or of ARM.
inline bool has_crc32c() {
#if defined(__SSE4_2__)  // required by the program's options, such as -march=x86-64-v2
  return true;
#elif defined(__x86_64__) && defined(__GNUC__)
  return __builtin_cpu_supports("sse4.2");
#elif defined(__aarch64__) && defined(__linux__)
  return (::getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
#else
  return false;
#endif
}

}}}  // namespace tessera::v0::detail
