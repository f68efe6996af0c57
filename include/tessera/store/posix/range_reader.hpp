// Ranges of a file, read in few system calls.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/store/posix/descriptor.hpp>

namespace tessera::inline v0 {
namespace detail::posix {

/// Takes ranges in the order in which they lie in the file, and reads those that are close together at once.
class RangeReader {
 public:
  static constexpr std::size_t largest_gap = 256;  ///< bytes: less than the time of a system call

  explicit RangeReader(Descriptor const& file) : file_{file} {}

  /// The bytes of the file from `offset` on, into `to`: they are there after `read`.
  void add(std::uint64_t offset, Piece to) {
    auto const apart = offset < end_ || offset - end_ > largest_gap;  // of those that lie over each other
    if (count_ == 0 || apart || count_ + 2 > std::size(parts_)) read(), begin_ = end_ = offset;
    if (offset > end_) parts_[count_++] = {unwanted_, static_cast<std::size_t>(offset - end_)};
    parts_[count_++] = to;
    end_ = offset + to.iov_len;
  }

  void read() {
    posix::read(file_, {parts_, count_}, begin_);
    count_ = 0;
  }

 private:
  Descriptor const& file_;
  Piece parts_[64];
  std::size_t count_ = 0;
  std::uint64_t begin_ = 0, end_ = 0;
  std::byte unwanted_[largest_gap];  // what lies between the ranges
};

}  // namespace detail::posix
}  // namespace tessera::inline v0
