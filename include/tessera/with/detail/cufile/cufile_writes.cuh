// cufile::Writes: from the device to files without the host.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>

#include <tessera/cast/detail/host_device.cuh>
#include <tessera/core/detail/cuda_context.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/with/detail/cufile/cufile_reads.cuh>

namespace tessera { inline namespace v0 {
namespace cufile {

/// The writes of one batch of values: copies in the stream's order fill a block, which is waited for once and written
/// as one cuFile batch. Each value begins on a page of the block, as in its file.
class Writes {
 public:
  static constexpr std::size_t most = 64;  ///< values of a batch, whose files are open meanwhile

  Writes(std::shared_ptr<Driver> const& driver, Queue<space::Device>& on)
      : driver_{driver}, on_{on}, kept_{on.host().template lease<Reads::Kept>()} {
    kept_->requests.clear();
  }
  Writes(Writes const&) = delete;

  /// Writes the value to the beginning of the file; the rest of its last page is undefined. Returns the reason for a
  /// failure, or nothing. The file outlives this.
  std::string add(detail::posix::Descriptor const& file, ByteView<space::Device> value) {
    auto const& opened = *files_.emplace_back(std::make_unique<File>(driver_, file, O_WRONLY));
    if (!opened.why_not().empty()) return opened.why_not();
    for (std::size_t at = 0; at < value.size;) {
      if (block_ && used_ == Block::size)
        if (auto why_not = finish(); !why_not.empty()) return why_not;
      std::string why_not;
      if (!block_ && !take_block(why_not)) return why_not;
      auto const size = std::min(value.size - at, Block::size - used_);
      crossing<space::Device, space::Device>::copy(value.sub(at, size), {data_ + used_, size}, on_);
      for (std::size_t part = 0; part < size; part += Reads::most) {
        auto const whole = static_cast<std::size_t>(std::min<std::uint64_t>(Reads::most, round_up(size - part)));
        kept_->requests.push_back(
            {opened.handle(), data_, used_ + part, at + part, whole, std::min(whole, size - part)});
      }
      used_ += static_cast<std::size_t>(round_up(size));
      at += size;
    }
    return {};
  }

  /// Waits for the queue's work that makes the values, and for the disk.
  std::string finish() {
    if (kept_->requests.empty()) return {};
    auto arrived = on_.record();
    arrived.wait();
    auto why_not = kept_->batch.run(driver_, CUFILE_WRITE, kept_->requests);
    kept_->requests.clear();
    used_ = 0;
    return why_not;
  }

 private:
  bool take_block(std::string& why_not) {
    block_.emplace(on_.template lease<Block>());
    data_ = (*block_)->take(driver_, on_, why_not);
    return data_;
  }

  std::shared_ptr<Driver> driver_;
  Queue<space::Device>& on_;
  detail::InContext const here_{on_.shared_stream()->context()};
  Lease<Reads::Kept> kept_;
  std::vector<std::unique_ptr<File>> files_;
  std::optional<DeviceLease<Block>> block_;
  std::byte* data_ = nullptr;  // of the block
  std::size_t used_ = 0;       // bytes of the block
};

}  // namespace cufile
}}  // namespace tessera::v0
