// For programs that request more memory than exists: sanitizers shall respond like the system, not end the program. To
// be included in one source of a program.
#pragma once

extern "C" {
inline char const* tessera_sanitizer_options() { return "allocator_may_return_null=1"; }
char const* __asan_default_options();
char const* __asan_default_options() { return tessera_sanitizer_options(); }
char const* __tsan_default_options();
char const* __tsan_default_options() { return tessera_sanitizer_options(); }
}
