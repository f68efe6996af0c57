// Download: copies values from device memory to files, through page-locked blocks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/store/detail/posix/descriptor.hpp>
#include <tessera/store/detail/upload.cuh>
#include <tessera/store/detail/write_many.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Bytes of successive values. While a block is written to files, the next is being copied. Values adjacent in a slab
/// are copied together. The host waits only for each block to arrive.
class Download {
  using Values = std::span<WriteRequest<space::Device> const>;

 public:
  /// Copies nothing yet. Requires: the values outlive it.
  Download(Values values, Queue<space::Device>& on) : values_{values}, on_{on} {}

  /// The next bytes, at most `most` and the rest of the block. Valid until the next call. Requires: bytes are left.
  ByteView<space::Pinned> take(std::size_t most) {
    if (!now_ || used_ == now_->bytes.size) next_block();
    auto const n = std::min(most, now_->bytes.size - used_);
    used_ += n;
    return now_->bytes.sub(used_ - n, n);
  }

  /// Writes the next bytes to a file. Requires: `count` bytes are left.
  void write(std::size_t count, posix::Descriptor const& file) {
    while (count > 0) {
      auto const bytes = take(count);
      posix::write(file, bytes.data, bytes.size);
      count -= bytes.size;
    }
  }

 private:
  struct Block {
    DeviceLease<Scratch<space::Pinned>> memory;
    ByteSpan<space::Pinned> bytes;
  };

  void next_block() {
    if (!next_) fetch();
    now_.reset();
    now_.emplace(std::move(*next_));
    next_.reset();
    fetch();
    now_->memory.wait();
    used_ = 0;
  }

  // Starts to copy the next block, if values are left.
  void fetch() {
    if (!find_rest()) return;
    next_.emplace(Block{on_.template lease<Scratch<space::Pinned>>(), {}});
    auto const bytes = next_->memory->take(bounce_block, on_);
    std::size_t used = 0;
    ByteView<space::Device> run, slab;  // adjacent values
    auto const copy = [&] {
      crossing<space::Pinned, space::Device>::copy(run, bytes.sub(used - run.size, run.size), on_);
    };
    while (used < bounce_block && find_rest()) {
      bool const follows = slab.data && slab.data == slab_.data && run.data + run.size == rest_.data;
      if (!follows) copy(), run = {rest_.data, 0};
      slab = slab_;
      auto const n = std::min(rest_.size, bounce_block - used);
      run.size += n;
      used += n;
      rest_ = rest_.sub(n, rest_.size - n);
    }
    copy();
    next_->bytes = bytes.sub(0, used);
    next_->memory.record();
  }

  bool find_rest() {
    for (; rest_.size == 0 && !values_.empty(); values_ = values_.subspan(1)) {
      rest_ = values_.front().value;
      slab_ = lies_in(rest_, values_.front().slab) ? values_.front().slab : ByteView<space::Device>{};
    }
    return rest_.size > 0;
  }

  Values values_;                        // not yet copied
  ByteView<space::Device> rest_, slab_;  // the rest of a value, and its slab
  Queue<space::Device>& on_;
  std::optional<Block> now_, next_;
  std::size_t used_ = 0;  // bytes taken of `now_`
};

}}}  // namespace tessera::v0::detail
