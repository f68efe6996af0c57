// From the device's memory to files, through page-locked blocks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

#include <tessera/buffer/scratch.hpp>
#include <tessera/cast/host_device.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/store/posix/descriptor.hpp>
#include <tessera/store/upload.cuh>
#include <tessera/store/write_many.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// The bytes of values, one after the other, on their way from the device: while a block of them is written to files,
/// the next is on its way. Values that follow each other in a slab come in one copy. The host waits for each block to
/// arrive, and nowhere else.
class Download {
  using Values = std::span<WriteRequest<space::Device> const>;

 public:
  /// Copies nothing yet. Requires: the values outlive it.
  Download(Values values, Queue<space::Device>& on) : values_{values}, on_{on} {}

  /// The next bytes, `most` or less: as many as the block has. They are there until the next call. Requires: there are
  /// some.
  ByteView<space::Pinned> take(std::size_t most) {
    if (!now_ || used_ == now_->bytes.size) next_block();
    auto const n = std::min(most, now_->bytes.size - used_);
    used_ += n;
    return now_->bytes.sub(used_ - n, n);
  }

  /// The next bytes, to a file. Requires: there are so many.
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

  // As many of the values as a block takes, if there are any left.
  void fetch() {
    if (!find_rest()) return;
    next_.emplace(Block{on_.template lease<Scratch<space::Pinned>>(), {}});
    auto const bytes = next_->memory->take(bounce_block, on_);
    std::size_t used = 0;
    ByteView<space::Device> run, slab;  // values that follow each other
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

  Values values_;                        // not on their way yet
  ByteView<space::Device> rest_, slab_;  // of the one before, and what it lies in
  Queue<space::Device>& on_;
  std::optional<Block> now_, next_;
  std::size_t used_ = 0;  // of the block that has arrived
};

}}}  // namespace tessera::v0::detail
