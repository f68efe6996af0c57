// StreamBuffer: the base of device, pinned and managed buffers, which are made, used and freed in stream order.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>

#include <tessera/buffer/concept.hpp>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// Holds the stream, not the queue, so it may outlive the queue.
template <MemorySpace S>
class StreamBuffer {
 public:
  using space_type = S;

  StreamBuffer() = default;
  StreamBuffer(std::size_t size, Queue<space::Device>& on) {
    if (size == 0) return;
    block_ = on.shared_stream()->template take<S>(size);
    stream_ = on.shared_stream();
    size_ = size;
  }
  StreamBuffer(StreamBuffer&& other) noexcept { swap(other); }
  StreamBuffer& operator=(StreamBuffer&& other) noexcept {
    StreamBuffer before{std::move(*this)};
    swap(other);
    return *this;
  }
  ~StreamBuffer() {
    if (stream_) stream_->template give_back<S>(std::move(block_));
  }

  ByteView<S> view() const { return {block_.data, size_}; }
  ByteSpan<S> span() { return {block_.data, size_}; }

  /// Whether work of the queue can access the bytes in place: kernels cannot access another GPU's memory.
  bool is_reached_by(Queue<space::Device> const& on) const {
    return !std::same_as<S, space::Device> || !stream_ || stream_->device() == on.device();
  }
  /// Copies from another GPU, in the order of the queue of `to`. Requires: `from` is part of this buffer, and was
  /// written before in that order. Throws: DeviceError.
  void copy_across(ByteView<S> from, ByteSpan<S> to, Queue<space::Device>& on) const {
    if (from.size == 0) return;
    InContext const here{on.shared_stream()->context()};
    check(::cudaMemcpyPeerAsync(to.data, on.device(), from.data, stream_->device(), from.size, on.stream()),
          "cudaMemcpyPeerAsync");
  }

 private:
  void swap(StreamBuffer& other) noexcept {
    std::swap(stream_, other.stream_), std::swap(size_, other.size_);
    std::swap(block_.data, other.block_.data), std::swap(block_.size, other.block_.size);
    std::swap(block_.used, other.block_.used);
  }

  std::shared_ptr<Stream> stream_;
  Block block_;
  std::size_t size_ = 0;
};

}  // namespace detail
}}  // namespace tessera::v0
