// DeviceRanges, upload_run: requested ranges of a value from its file to the device.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <tessera/core/detail/checked.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/store/detail/coalesce.hpp>
#include <tessera/store/detail/posix/range_reader.hpp>
#include <tessera/store/detail/read_request.hpp>
#include <tessera/store/detail/upload.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// Kept by a queue.
struct DeviceRanges {
  using Request = ReadRequest<space::Device>;

  std::vector<WantedRange> wanted;
  std::vector<ByteSpan<space::Device>> destinations;  // of each request

  /// Answers requests for one key, whose value has `total` bytes; asks destinations in order.
  void find(std::span<Request> requests, std::uint64_t total) {
    wanted.clear();
    destinations.clear();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto const [offset, size] = requests[i].resolve(total);
      wanted.push_back({offset, checked_size(size, "the value"), i});
    }
    for (std::size_t i = 0; i < requests.size(); ++i) {
      destinations.push_back(requests[i].destination(wanted[i].size));
      requests[i].size = destinations[i].size;
    }
  }
};

/// A range of more than a block, by threads of the queue's host queue.
inline void upload_large(posix::Descriptor const& file, std::uint64_t offset, ByteSpan<space::Device> to,
                         ReadRequest<space::Device> const& request, Queue<space::Device>& on) {
  constexpr auto block = bounce_block;
  on.host().for_each((to.size + block - 1) / block, [&](std::size_t i) {
    posix::RangeReader reader{file};
    Upload upload{on};
    upload.add(reader, offset + i * block, to.sub(i * block, std::min(to.size - i * block, block)), request);
    reader.read();
    upload.send();
  });
}

/// Ranges that are read at once, through page-locked blocks.
inline void upload_run(posix::RangeReader& reader, posix::Descriptor const& file, std::span<WantedRange const> run,
                       DeviceRanges const& ranges, std::span<ReadRequest<space::Device> const> requests, Upload& upload,
                       Queue<space::Device>& on) {
  for (auto const& range : run) {
    auto const& to = ranges.destinations[range.request];
    if (range.size > bounce_block)
      upload_large(file, range.offset, to, requests[range.request], on);
    else
      upload.add(reader, range.offset, to, requests[range.request]);
  }
  reader.read();
}

}}}  // namespace tessera::v0::detail
