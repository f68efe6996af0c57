// Counts for tests/coverage.py, in each test program of the preset coverage: begun before the emulated runtime starts
// the processes that run its kernels, so that these count in the same file.
extern "C" void __llvm_profile_initialize();
__attribute__((section(".init_array.00100"), used)) static void (*const first)() = __llvm_profile_initialize;
