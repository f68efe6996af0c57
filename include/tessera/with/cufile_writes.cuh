// From the device to files without the host.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fcntl.h>

#include <tessera/cast/host_device.cuh>
#include <tessera/core/cuda_context.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/with/cufile_reads.cuh>

namespace tessera { inline namespace v0 {
namespace cufile {

/// The writes of one batch of values: a block is filled by copies in the stream's order, waited for once, and is one
/// batch of cuFile's. Each value begins on a page of the block, as it does in its file.
class Writes {
 public:
  static constexpr std::size_t most = 64;  ///< values of a batch: their files are open meanwhile

  Writes(std::shared_ptr<Driver> const& driver, Queue<space::Device>& on)
      : driver_{driver}, on_{on}, kept_{on.host().template lease<Reads::Kept>()} {
    kept_->requests.clear();
  }
  Writes(Writes const&) = delete;

  /// The value becomes what the file begins with; what follows to the end of its last page is nobody's. Returns why
  /// that cannot be, or nothing. The file outlives this.
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

  /// Waits for what makes the values, and for the disk.
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
  std::size_t used_ = 0;       // of it
};

}  // namespace cufile
}}  // namespace tessera::v0
