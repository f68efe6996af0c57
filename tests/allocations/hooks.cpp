// The hooks of support/allocations.hpp. operator new is replaced, as any program may; malloc is replaced in glibc, and
// watched under a sanitizer.
#include <malloc.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <support/allocations.hpp>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TESSERA_TEST_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TESSERA_TEST_SANITIZER 1
#endif
#endif

namespace {

void count_block() noexcept {
  if (test::allocation_counts.on) ++test::allocation_counts.blocks;
}
void* count_new(void* block, std::size_t size) noexcept {
  auto& counts = test::allocation_counts;
  if (!counts.on) return block;
  ++counts.news;
  if (size >= counts.large_size) ++counts.large;
  if (!block) return block;
  auto const live = counts.live += static_cast<std::ptrdiff_t>(::malloc_usable_size(block));
  for (auto peak = counts.peak.load(); peak < live && !counts.peak.compare_exchange_weak(peak, live);) {
  }
  return block;
}
void count_delete(void* block) noexcept {
  auto& counts = test::allocation_counts;
  if (counts.on && block) counts.live -= static_cast<std::ptrdiff_t>(::malloc_usable_size(block));
  std::free(block);
}
void* aligned_block(std::size_t size, std::size_t alignment) noexcept {
  void* block = nullptr;
  return ::posix_memalign(&block, alignment < sizeof(void*) ? sizeof(void*) : alignment, size) == 0 ? block : nullptr;
}
void* or_throw(void* block) {
  auto& left = test::allocation_counts.left;
  if (block && test::allocations_may_fail && left >= 0 && left-- == 0) count_delete(block), block = nullptr;
  if (!block) throw std::bad_alloc{};
  return block;
}

}  // namespace

void* operator new(std::size_t n) { return or_throw(count_new(std::malloc(n ? n : 1), n)); }
void* operator new[](std::size_t n) { return or_throw(count_new(std::malloc(n ? n : 1), n)); }
void* operator new(std::size_t n, std::nothrow_t const&) noexcept { return count_new(std::malloc(n ? n : 1), n); }
void* operator new[](std::size_t n, std::nothrow_t const&) noexcept { return count_new(std::malloc(n ? n : 1), n); }
void* operator new(std::size_t n, std::align_val_t a) {
  return or_throw(count_new(aligned_block(n, static_cast<std::size_t>(a)), n));
}
void* operator new[](std::size_t n, std::align_val_t a) {
  return or_throw(count_new(aligned_block(n, static_cast<std::size_t>(a)), n));
}
void* operator new(std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept {
  return count_new(aligned_block(n, static_cast<std::size_t>(a)), n);
}
void* operator new[](std::size_t n, std::align_val_t a, std::nothrow_t const&) noexcept {
  return count_new(aligned_block(n, static_cast<std::size_t>(a)), n);
}
void operator delete(void* p) noexcept { count_delete(p); }
void operator delete[](void* p) noexcept { count_delete(p); }
void operator delete(void* p, std::size_t) noexcept { count_delete(p); }
void operator delete[](void* p, std::size_t) noexcept { count_delete(p); }
void operator delete(void* p, std::nothrow_t const&) noexcept { count_delete(p); }
void operator delete[](void* p, std::nothrow_t const&) noexcept { count_delete(p); }
void operator delete(void* p, std::align_val_t) noexcept { count_delete(p); }
void operator delete[](void* p, std::align_val_t) noexcept { count_delete(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { count_delete(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { count_delete(p); }
void operator delete(void* p, std::align_val_t, std::nothrow_t const&) noexcept { count_delete(p); }
void operator delete[](void* p, std::align_val_t, std::nothrow_t const&) noexcept { count_delete(p); }

#if defined(TESSERA_TEST_SANITIZER)

extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*)(void const volatile*, std::size_t),
                                                         void (*)(void const volatile*));
bool test::all_allocations_are_seen() {
  static bool const installed =
      __sanitizer_install_malloc_and_free_hooks([](void const volatile*, std::size_t) { count_block(); },
                                                [](void const volatile*) {}) > 0;
  return installed;
}

#elif defined(__GLIBC__)

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t n) { return count_block(), __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t size) { return count_block(), __libc_calloc(n, size); }
void* realloc(void* p, std::size_t n) { return count_block(), __libc_realloc(p, n); }
void* memalign(std::size_t a, std::size_t n) { return count_block(), __libc_memalign(a, n); }
void* aligned_alloc(std::size_t a, std::size_t n) { return count_block(), __libc_memalign(a, n); }
int posix_memalign(void** p, std::size_t a, std::size_t n) {
  count_block();
  *p = __libc_memalign(a, n);
  return *p ? 0 : ENOMEM;
}
}
bool test::all_allocations_are_seen() { return true; }

#else

bool test::all_allocations_are_seen() { return false; }

#endif
