// Ranges of a file, read in few system calls.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>

#include <tessera/store/posix/descriptor.hpp>

namespace tessera { inline namespace v0 {
namespace detail::posix {

/// What is worth reading along in a file.
inline constexpr std::uint64_t file_gap = 256;  // bytes: less than the time of a system call

/// Takes ranges in the order in which they lie in the file, and reads at once, with what lies between them, those that
/// are added one after the other.
class RangeReader {
 public:
  explicit RangeReader(Descriptor const& file) : file_{file} {}

  /// The bytes of the file from `offset` on, into `to`: they are there after `read`.
  void add(std::uint64_t offset, Piece to) {
    bool const joins = count_ > 0 && offset >= end_ &&  // not of those that lie over each other
                       (offset - end_) / sizeof(unwanted_) + 2 <= std::size(parts_) - count_;
    if (!joins) read(), begin_ = end_ = offset;
    for (; end_ < offset; end_ += parts_[count_++].iov_len)
      parts_[count_] = {unwanted_, static_cast<std::size_t>(std::min<std::uint64_t>(offset - end_, sizeof unwanted_))};
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
  std::byte unwanted_[4096];  // what lies between the ranges
};

}  // namespace detail::posix
}}  // namespace tessera::v0
