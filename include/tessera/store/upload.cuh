// From files to the device's memory, through page-locked blocks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <tessera/buffer/scratch.hpp>
#include <tessera/cast/host_device.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/store/get.hpp>
#include <tessera/store/posix/range_reader.hpp>

namespace tessera { inline namespace v0 { namespace detail {

inline constexpr std::size_t bounce_block = std::size_t{4} << 20;  // bytes: what a disk gives at once, and a bus takes

/// Bytes on their way from files to the device: read into page-locked blocks, one after the other, and copied from
/// there in the stream's order while the next are read. What is for rooms of a slab that follow each other crosses in
/// one copy. The host waits when a block is needed again that the stream, or that for copies, is not done with, and
/// nowhere else.
class Upload {
 public:
  explicit Upload(Queue<space::Device>& on) : on_{on} {}

  /// The bytes that `file` has at `offset`, to the room `to` of the request. `file.read()` comes before another file's
  /// turn.
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

  /// Queues the copy of what was read since the last one. Of a block whose copies all go ahead nobody waits for more.
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
  // How far behind what is not sent yet `to` begins, if it can be sent along.
  std::optional<std::size_t> gap_before(ByteSpan<space::Device> to, ByteSpan<space::Device> slab) const {
    if (used_ == sent_ || !slab.data || slab.data != slab_.data) return std::nullopt;
    auto const end = static_cast<std::size_t>(to_ - slab.data) + (used_ - sent_);
    auto const gap = static_cast<std::size_t>(to.data - slab.data) - end;  // huge, if it lies before
    auto const free = (alignment_ - end % alignment_) % alignment_;
    if (gap > free || gap >= bounce_block - used_) return std::nullopt;
    return gap;
  }

  void next_block() {
    block_.reset();  // first: it may be the next one
    block_.emplace(on_.template lease<Scratch<space::Pinned>>());
    bytes_ = (*block_)->take(bounce_block, on_);
    used_ = sent_ = 0;
    all_ahead_ = true;
  }

  Queue<space::Device>& on_;
  std::optional<DeviceLease<Scratch<space::Pinned>>> block_;
  ByteSpan<space::Pinned> bytes_;
  std::size_t used_ = 0, sent_ = 0;  // of the block: read into, and of that in a copy
  std::byte* to_ = nullptr;          // where what is not sent yet goes
  ByteSpan<space::Device> slab_;     // of the room that was added last, as is
  bool slab_is_idle_ = false;
  bool all_ahead_ = true;  // of the block's copies
  std::size_t alignment_ = 1;
};

}}}  // namespace tessera::v0::detail
