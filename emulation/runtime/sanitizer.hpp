// Annotations for ThreadSanitizer. It sees nothing of the runtime, which is compiled without it; only the edges that
// CUDA gives are drawn here. Without ThreadSanitizer all of this is empty.
#pragma once
#include <cstddef>

#if defined(EMULATION_THREAD_SANITIZER)
extern "C" {
void AnnotateHappensBefore(char const* file, int line, void const volatile* token);
void AnnotateHappensAfter(char const* file, int line, void const volatile* token);
void AnnotateIgnoreSyncBegin(char const* file, int line);
void AnnotateIgnoreSyncEnd(char const* file, int line);
void AnnotateIgnoreReadsBegin(char const* file, int line);
void AnnotateIgnoreReadsEnd(char const* file, int line);
void AnnotateIgnoreWritesBegin(char const* file, int line);
void AnnotateIgnoreWritesEnd(char const* file, int line);
void __tsan_read_range(void const* begin, unsigned long size);
void __tsan_write_range(void* begin, unsigned long size);
void __tsan_func_entry(void* caller);
void __tsan_func_exit();
}
#endif

namespace emulation::sanitizer {

#if defined(EMULATION_THREAD_SANITIZER)
inline constexpr bool threads = true;

inline void look_away() {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
}
inline void look_again() {
  AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
}
inline void happens_before(void const* token) { AnnotateHappensBefore(__FILE__, __LINE__, token); }
inline void happens_after(void const* token) { AnnotateHappensAfter(__FILE__, __LINE__, token); }
inline void reads(void const* begin, std::size_t size) { __tsan_read_range(begin, size); }
inline void writes(void* begin, std::size_t size) { __tsan_write_range(begin, size); }
inline void enters(void* caller) { __tsan_func_entry(caller); }
inline void leaves() { __tsan_func_exit(); }
#else
inline constexpr bool threads = false;

inline void look_away() {}
inline void look_again() {}
inline void happens_before(void const*) {}
inline void happens_after(void const*) {}
inline void reads(void const*, std::size_t) {}
inline void writes(void*, std::size_t) {}
inline void enters(void*) {}
inline void leaves() {}
#endif

/// Hides from ThreadSanitizer what this thread does in the scope of a Hidden ...
struct Hidden {
  Hidden() { look_away(); }
  Hidden(Hidden const&) = delete;
  Hidden& operator=(Hidden const&) = delete;
  ~Hidden() { look_again(); }
};
/// ... and shows it again in the scope of a Seen within.
struct Seen {
  Seen() { look_again(); }
  Seen(Seen const&) = delete;
  Seen& operator=(Seen const&) = delete;
  ~Seen() { look_away(); }
};

}  // namespace emulation::sanitizer
