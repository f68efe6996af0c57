#pragma once
#include <tessera/buffer/detail/pages.hpp>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include <tessera/core/error.hpp>

namespace tessera { inline namespace v0 { namespace detail { namespace pages {

TESSERA_DECL void want_huge(void* block, std::size_t size) noexcept {
#if defined(MADV_HUGEPAGE)
  auto const error = errno;
  ::madvise(block, size - size % huge, MADV_HUGEPAGE);
  errno = error;
#else
  static_cast<void>(block), static_cast<void>(size);
#endif
}

TESSERA_DECL Mapping::Mapping(int file, std::uint64_t offset, std::size_t size) : size_{size} {
  if (size == 0) return;
  ahead_ = static_cast<std::size_t>(offset % static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
  auto* const pages = ::mmap(nullptr, ahead_ + size, PROT_READ, MAP_SHARED, file, static_cast<off_t>(offset - ahead_));
  if (pages == MAP_FAILED) throw StoreError{to_text({"cannot map the file: ", std::strerror(errno)})};
  pages_ = static_cast<std::byte*>(pages);
}

TESSERA_DECL Mapping& Mapping::operator=(Mapping&& other) noexcept {
  Mapping empty;
  swap(empty), swap(other);
  return *this;
}

TESSERA_DECL void Mapping::swap(Mapping& other) {
  std::swap(pages_, other.pages_), std::swap(ahead_, other.ahead_), std::swap(size_, other.size_);
}

}}}}  // namespace tessera::v0::detail::pages
