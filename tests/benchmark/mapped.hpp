// Memory for the elements of a benchmark.
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>

/// n elements, all 0: mapped and touched before the timing, with huge pages, until the program ends.
template <class T>
std::span<T> mapped(std::size_t n) {
  constexpr std::size_t huge = std::size_t{2} << 20;
  auto const size = n * sizeof(T);
  auto* const all_of_it = mmap(nullptr, size + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (all_of_it == MAP_FAILED) throw std::runtime_error{"cannot map the memory of the elements"};
  auto* const begin = static_cast<std::byte*>(all_of_it) + (huge - reinterpret_cast<std::uintptr_t>(all_of_it) % huge);
  madvise(begin, size, MADV_HUGEPAGE);
  std::memset(begin, 0, size);
  return {reinterpret_cast<T*>(begin), n};
}
