// Pages of memory, as the operating system is asked for them: here and nowhere else.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include <tessera/core/error.hpp>
#include <tessera/core/text.hpp>

namespace tessera { inline namespace v0 {
namespace detail::pages {

inline constexpr std::size_t huge = std::size_t{2} << 20;

/// Asks for huge pages where they fit into the block: a fault for each 2 MiB and not for each 4 KiB. Where the system
/// has none, nothing changes. Requires: the block is aligned to `huge`.
inline void want_huge(void* block, std::size_t size) noexcept {
#if defined(MADV_HUGEPAGE)
  auto const error = errno;
  ::madvise(block, size - size % huge, MADV_HUGEPAGE);
  errno = error;
#else
  static_cast<void>(block), static_cast<void>(size);
#endif
}

/// A range of a file as memory that is read only. Empty ones have none.
class Mapping {
 public:
  Mapping() = default;
  /// The file may be closed afterwards. Throws: StoreError.
  Mapping(int file, std::uint64_t offset, std::size_t size) : size_{size} {
    if (size == 0) return;
    ahead_ = static_cast<std::size_t>(offset % static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)));
    auto* const pages =
        ::mmap(nullptr, ahead_ + size, PROT_READ, MAP_SHARED, file, static_cast<off_t>(offset - ahead_));
    if (pages == MAP_FAILED) throw StoreError{text({"cannot map the file: ", std::strerror(errno)})};
    pages_ = static_cast<std::byte*>(pages);
  }
  Mapping(Mapping&& other) noexcept { swap(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    Mapping empty;
    swap(empty), swap(other);
    return *this;
  }
  ~Mapping() {
    if (pages_) ::munmap(pages_, ahead_ + size_);
  }

  std::byte const* data() const { return pages_ ? pages_ + ahead_ : nullptr; }
  std::size_t size() const { return size_; }

 private:
  void swap(Mapping& other) {
    std::swap(pages_, other.pages_), std::swap(ahead_, other.ahead_), std::swap(size_, other.size_);
  }

  std::byte* pages_ = nullptr;
  std::size_t ahead_ = 0;  // bytes of the first page before the range
  std::size_t size_ = 0;
};

}  // namespace detail::pages
}}  // namespace tessera::v0
