// For programs that ask for more memory than there is: sanitizers shall answer as the system does, not end the program.
// To be included in one source of a program.
#pragma once

extern "C" {
inline char const* tessera_sanitizer_options() { return "allocator_may_return_null=1"; }
char const* __asan_default_options();
char const* __asan_default_options() { return tessera_sanitizer_options(); }
char const* __tsan_default_options();
char const* __tsan_default_options() { return tessera_sanitizer_options(); }
}
