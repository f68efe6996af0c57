// Pages of memory: all calls to the operating system for them.
#pragma once
#include <cstddef>
#include <cstdint>

#include <sys/mman.h>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {
namespace detail::pages {

inline constexpr std::size_t huge = std::size_t{2} << 20;

/// Asks for huge pages where they fit into the block: one fault for each 2 MiB instead of 4 KiB. Has no effect on
/// systems without them. Requires: the block is aligned to `huge`.
TESSERA_DECL void want_huge(void* block, std::size_t size) noexcept;

/// A read-only mapping of a file range. An empty one has no memory.
class Mapping {
 public:
  Mapping() = default;
  /// The file may be closed afterwards. Throws: StoreError.
  Mapping(int file, std::uint64_t offset, std::size_t size);
  Mapping(Mapping&& other) noexcept { swap(other); }
  Mapping& operator=(Mapping&& other) noexcept;
  ~Mapping() {
    if (pages_) ::munmap(pages_, ahead_ + size_);
  }

  std::byte const* data() const { return pages_ ? pages_ + ahead_ : nullptr; }
  std::size_t size() const { return size_; }

 private:
  void swap(Mapping& other);

  std::byte* pages_ = nullptr;
  std::size_t ahead_ = 0;  // bytes of the first page before the range
  std::size_t size_ = 0;
};

}  // namespace detail::pages
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/buffer/detail/pages.ipp>
#endif
