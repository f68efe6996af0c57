// RangeReader: reads ranges of a file in few system calls.
#pragma once
#include <cstddef>
#include <cstdint>

#include <tessera/store/detail/posix/descriptor.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

/// The gap worth reading in a file.
inline constexpr std::uint64_t file_gap = 256;  // bytes: cheaper than a system call

/// Reads consecutive ranges, added in the order of the file, at once, gaps included.
class RangeReader {
 public:
  explicit RangeReader(Descriptor const& file) : file_{file} {}

  /// Reads the bytes from `offset` on into `to`, which is filled when `read` returns.
  void add(std::uint64_t offset, Piece to);
  void read();

 private:
  Descriptor const& file_;
  Piece parts_[64];
  std::size_t count_ = 0;
  std::uint64_t begin_ = 0, end_ = 0;
  std::byte unwanted_[4096];  // for the gaps
};

}  // namespace detail::posix
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/store/detail/posix/range_reader.ipp>
#endif
