// Functions that compilers call before each access of an instrumented program: they catch accesses less than a page
// beyond an allocation, which reach no closed page, and reads, which leave no trace.
#include <cstddef>

#include "gpu.hpp"
#include "regions.hpp"
#include "report.hpp"

namespace emulation {
namespace {

[[maybe_unused]] void look_at(void const* address, std::size_t size, void* caller) {
  Allocation const* const found = regions().find_allocation(address);
  if (found == nullptr || found->state != State::live) return;  // a closed page, or memory that is not the runtime's
  auto const* const begin = static_cast<std::byte const*>(address);
  if (begin >= found->begin && begin + size <= found->end()) return;
  gpu::end_kernel(begin >= found->begin && begin < found->end() ? found->end() : begin);
  mistake({"out of bounds: host code touched ", size, " bytes at ", address,
           ", not all of which lie in the allocation of ", found->size, " bytes at ",
           static_cast<void const*>(found->begin), " made by ", found->made_by, " at ", Piece::place(found->made_at),
           "; by what is at ", Piece::place(caller)});
}

}  // namespace
}  // namespace emulation

#if !defined(__has_feature)
#define __has_feature(feature) 0
#endif
#if !defined(__SANITIZE_ADDRESS__) && !__has_feature(address_sanitizer)  // which has functions of these names

extern "C" {

// The names that -fsanitize=kernel-address uses.
#define EMULATION_ACCESS(size)                                      \
  void __asan_load##size##_noabort(void const* address) {           \
    emulation::look_at(address, size, __builtin_return_address(0)); \
  }                                                                 \
  void __asan_store##size##_noabort(void const* address) {          \
    emulation::look_at(address, size, __builtin_return_address(0)); \
  }
EMULATION_ACCESS(1)
EMULATION_ACCESS(2)
EMULATION_ACCESS(4)
EMULATION_ACCESS(8)
EMULATION_ACCESS(16)
#undef EMULATION_ACCESS

void __asan_loadN_noabort(void const* address, std::size_t size) {
  emulation::look_at(address, size, __builtin_return_address(0));
}
void __asan_storeN_noabort(void const* address, std::size_t size) {
  emulation::look_at(address, size, __builtin_return_address(0));
}
void __asan_handle_no_return() {}
void __asan_before_dynamic_init(char const*) {}
void __asan_after_dynamic_init() {}

}  // extern "C"

#endif
