// Upload: copies bytes from files to device memory, through page-locked blocks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/store/detail/posix/range_reader.hpp>
#include <tessera/store/get.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline constexpr std::size_t bounce_block = std::size_t{4} << 20;  // bytes: suits disks and buses

/// Reads files into successive page-locked blocks, and copies these to the device in the stream's order while the next
/// are read. One copy fills destinations adjacent in a slab. The host waits only for a block needed again that the
/// stream, or the one for copies, still uses.
class Upload {
 public:
  explicit Upload(Queue<space::Device>& on) : on_{on} {}

  /// Uploads the bytes of `file` at `offset` to the request's destination `to`. Requires: `file.read()` before another
  /// file is added.
  void add(posix::RangeReader& file, std::uint64_t offset, ByteSpan<space::Device> to,
           ReadRequest<space::Device> const& request) {
    auto const slab = lies_in<space::Device>(to, request.slab) ? request.slab : ByteSpan<space::Device>{};
    while (to.size > 0) {
      if (auto const gap = gap_before(to, slab)) {
        used_ += *gap;
      } else {
        file.read();
        send();
        if (!block_ || used_ == bounce_block) next_block();
        to_ = to.data;
      }
      auto const n = std::min(to.size, bounce_block - used_);
      file.add(offset, {bytes_.data + used_, n});
      used_ += n;
      slab_ = slab;
      slab_is_idle_ = request.slab_is_idle;
      alignment_ = request.alignment;
      offset += n;
      to = to.sub(n, to.size - n);
    }
  }

  /// Queues the copy of the bytes read since the last one. If all copies of a block go ahead, its reuse waits only for
  /// them.
  void send() {
    if (used_ == sent_) return;
    ByteView<space::Pinned> const from = bytes_.sub(sent_, used_ - sent_);
    bool const ahead = slab_.data && slab_is_idle_;
    if (ahead && all_ahead_) {
      block_->copy_ahead(from.data, to_, from.size);
    } else {
      using Crossing = crossing<space::Device, space::Pinned>;
      (ahead ? Crossing::copy_ahead : Crossing::copy)(from, {to_, from.size}, on_);
      block_->record();
    }
    all_ahead_ = all_ahead_ && ahead;
    sent_ = used_;
  }

 private:
  // Bytes between the unsent ones and `to`, if one copy can send both.
  std::optional<std::size_t> gap_before(ByteSpan<space::Device> to, ByteSpan<space::Device> slab) const {
    if (used_ == sent_ || !slab.data || slab.data != slab_.data) return std::nullopt;
    auto const end = static_cast<std::size_t>(to_ - slab.data) + (used_ - sent_);
    auto const gap = static_cast<std::size_t>(to.data - slab.data) - end;  // huge, if it lies before
    auto const free = (alignment_ - end % alignment_) % alignment_;
    if (gap > free || gap >= bounce_block - used_) return std::nullopt;
    return gap;
  }

  void next_block() {
    block_.reset();  // first: the lease may return the same block
    block_.emplace(on_.template lease<Scratch<space::Pinned>>());
    bytes_ = (*block_)->take(bounce_block, on_);
    used_ = sent_ = 0;
    all_ahead_ = true;
  }

  Queue<space::Device>& on_;
  std::optional<DeviceLease<Scratch<space::Pinned>>> block_;
  ByteSpan<space::Pinned> bytes_;
  std::size_t used_ = 0, sent_ = 0;  // bytes of the block that are read, and sent
  std::byte* to_ = nullptr;          // destination of the unsent bytes
  ByteSpan<space::Device> slab_;     // of the last destination added
  bool slab_is_idle_ = false;
  bool all_ahead_ = true;  // all copies of the block
  std::size_t alignment_ = 1;
};

}}}  // namespace tessera::v0::detail
