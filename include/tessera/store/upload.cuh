// From files to the device's memory, through page-locked blocks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <tessera/buffer/scratch.hpp>
#include <tessera/cast/host_device.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/store/posix/range_reader.hpp>

namespace tessera::inline v0::detail {

inline constexpr std::size_t bounce_block = std::size_t{4} << 20;  // bytes: what a disk gives at once, and a bus takes

/// Bytes on their way from files to the device: read into page-locked blocks, one after the other, and copied from
/// there in the stream's order while the next are read. What is for places that follow each other crosses in one copy.
/// The host waits when a block is needed again that the stream is not done with, and nowhere else.
class Upload {
 public:
  explicit Upload(Queue<space::Device>& on) : on_{on} {}

  /// The bytes that `file` has at `offset`, to `to`. Between the end of `to` and the next multiple of `alignment` bytes
  /// may be written too, so that what begins there crosses along. `file.read()` comes before another file's turn.
  void add(posix::RangeReader& file, std::uint64_t offset, ByteSpan<space::Device> to, std::size_t alignment) {
    while (to.size > 0) {
      if (auto const gap = gap_before(to.data)) {
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
      alignment_ = alignment;
      offset += n;
      to = to.sub(n, to.size - n);
    }
  }

  /// Queues the copy of what was read since the last one.
  void send() {
    crossing<space::Device, space::Pinned>::copy(bytes_.sub(sent_, used_ - sent_), {to_, used_ - sent_}, on_);
    sent_ = used_;
  }

 private:
  // How far behind what is not sent yet `at` lies, if what is for there can be sent along.
  std::optional<std::size_t> gap_before(std::byte const* at) const {
    if (used_ == sent_) return std::nullopt;
    auto const end = reinterpret_cast<std::uintptr_t>(to_) + (used_ - sent_);
    auto const gap = reinterpret_cast<std::uintptr_t>(at) - end;  // huge, if it lies before
    auto const free = (alignment_ - end % alignment_) % alignment_;
    if (gap > free || gap >= bounce_block - used_) return std::nullopt;
    return gap;
  }

  void next_block() {
    block_.reset();  // first: it may be the next one
    block_.emplace(on_.template lease<Scratch<space::Pinned>>());
    bytes_ = (*block_)->take(bounce_block, on_);
    used_ = sent_ = 0;
  }

  Queue<space::Device>& on_;
  std::optional<DeviceLease<Scratch<space::Pinned>>> block_;
  ByteSpan<space::Pinned> bytes_;
  std::size_t used_ = 0, sent_ = 0;  // of the block: read into, and of that in a copy
  std::byte* to_ = nullptr;          // where what is not sent yet goes
  std::size_t alignment_ = 1;        // of the room that was added last
};

}  // namespace tessera::inline v0::detail
