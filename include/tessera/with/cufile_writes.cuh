// From the device to a file without the host.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>

#include <fcntl.h>

#include <tessera/cast/host_device.cuh>
#include <tessera/core/cuda_context.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/with/cufile_reads.cuh>

namespace tessera { inline namespace v0 {
namespace cufile {

/// The value becomes what the file begins with; what follows to the end of its last page is nobody's. The calling
/// thread waits for what makes the value, and for the disk. Returns why that cannot be, or nothing.
inline std::string write(std::shared_ptr<Driver> const& driver, detail::posix::Descriptor const& file,
                         ByteView<space::Device> value, Queue<space::Device>& on) {
  detail::InContext const here{on.shared_stream()->context()};
  File const opened{driver, file, O_WRONLY};
  if (!opened.why_not().empty()) return opened.why_not();
  auto const kept = on.host().template lease<Reads::Kept>();
  for (std::size_t at = 0; at < value.size; at += Block::size) {
    auto const block = on.template lease<Block>();
    std::string why_not;
    auto* const data = block->take(driver, on, why_not);
    if (!data) return why_not;
    auto const size = std::min(value.size - at, Block::size);
    crossing<space::Device, space::Device>::copy(value.sub(at, size), {data, size}, on);
    auto arrived = on.record();
    arrived.wait();
    kept->requests.clear();
    for (std::size_t part = 0; part < size; part += Reads::most) {
      auto const whole = static_cast<std::size_t>(std::min<std::uint64_t>(Reads::most, round_up(size - part)));
      kept->requests.push_back({opened.handle(), data, part, at + part, whole, std::min(whole, size - part)});
    }
    why_not = kept->batch.run(driver, CUFILE_WRITE, kept->requests);
    kept->requests.clear();
    if (!why_not.empty()) return why_not;
  }
  return {};
}

}  // namespace cufile
}}  // namespace tessera::v0
