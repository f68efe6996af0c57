#pragma once
#include <tessera/store/detail/posix/range_reader.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include <tessera/store/detail/posix/descriptor.hpp>

namespace tessera { inline namespace v0 { namespace detail { namespace posix {

TESSERA_DECL void RangeReader::add(std::uint64_t offset, Piece to) {
  bool const joins = count_ > 0 && offset >= end_ &&  // overlapping ranges do not join
                     (offset - end_) / sizeof(unwanted_) + 2 <= std::size(parts_) - count_;
  if (!joins) read(), begin_ = end_ = offset;
  for (; end_ < offset; end_ += parts_[count_++].iov_len)
    parts_[count_] = {unwanted_, static_cast<std::size_t>(std::min<std::uint64_t>(offset - end_, sizeof unwanted_))};
  parts_[count_++] = to;
  end_ = offset + to.iov_len;
}

TESSERA_DECL void RangeReader::read() {
  posix::read(file_, {parts_, count_}, begin_);
  count_ = 0;
}

}}}}  // namespace tessera::v0::detail::posix
