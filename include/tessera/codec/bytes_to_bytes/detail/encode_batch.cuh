// EncodeBatch: chunks of a mini-batch as lists in device memory, for an encoder. One copy brings all but the sizes that
// another encoder left there.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/encoded_sizes.hpp>
#include <tessera/core/config.hpp>
#include <tessera/memory/queue.cuh>
#include <tessera/place/detail/placer.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

inline bool is_aligned(std::byte const* address, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(address) % to == 0;
}

/// An encoder's input: an entry for each chunk.
struct EncodeLists {
  void const** from;
  std::size_t* sizes;
  void** to;
};

/// Replaces maximum sizes by those that another encoder left.
struct TakeSizes {
  std::size_t const* before;
  std::size_t* sizes;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    sizes[i] = sound_size(before[i], sizes[i]);
  }
};

/// Puts the decoded size, a little-endian integer of `Bytes` bytes, before an encoder's output, whose size grows by
/// them.
template <unsigned Bytes>
struct PutDecodedSizes {
  void* const* to;
  std::size_t const* decoded;
  std::size_t* encoded;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    auto* const header = static_cast<std::byte*>(to[i]) - Bytes;
    for (unsigned b = 0; b < Bytes; ++b) header[b] = static_cast<std::byte>(decoded[i] >> (8 * b) & 0xff);
    encoded[i] += Bytes;
  }
};

/// Kept by the queue: it allocates only to grow.
class EncodeBatch {
 public:
  /// Results begin after `header` bytes of each chunk's room.
  void begin(std::span<CodecTask<space::Device> const> tasks, std::size_t header) {
    from_.clear(), sizes_.clear(), to_.clear();
    total_ = largest_ = 0;
    for (auto const& task : tasks) {
      from_.push_back(task.from.data);
      sizes_.push_back(task.from.size);
      to_.push_back(task.to.data + header);
      total_ += task.from.size;
      largest_ = std::max(largest_, task.from.size);
    }
  }
  std::size_t count() const { return from_.size(); }
  std::size_t total() const { return total_; }      ///< bytes of all chunks, at most
  std::size_t largest() const { return largest_; }  ///< bytes of the largest one, at most

  /// Copies chunks whose addresses are not multiples of `to` to addresses that are, all in one launch.
  template <MemorySpace S = space::Device>  // units without kernels may include this
  void align(std::size_t to, queue_for<S>& on) {
    std::size_t room = 0;
    moved_.clear();
    auto const each = [&](auto&& f) {
      for (std::size_t i = 0; i < count(); ++i)
        if (!is_aligned(from_[i], to)) f(i);
    };
    each([&](std::size_t i) { room += (sizes_[i] + to - 1) / to * to; });
    if (room == 0) return;
    auto* next = inputs_.take(in_steps(room), on).data;
    each([&](std::size_t i) {
      moved_.push_back({from_[i], next, {sizes_[i]}});
      from_[i] = next;
      next += (sizes_[i] + to - 1) / to * to;
    });
    placer<S>::place(moved_, {.from_strides = {1}, .to_strides = {1}}, on);
  }

  /// One copy.
  EncodeLists upload(Queue<space::Device>& on) {
    auto const n = count() * sizeof(void*);
    auto const staging = staging_.take(in_steps(3 * n), on).sub(0, 3 * n);
    std::memcpy(staging.data, from_.data(), n);
    std::memcpy(staging.data + n, sizes_.data(), n);
    std::memcpy(staging.data + 2 * n, to_.data(), n);
    auto const memory = memory_.take(in_steps(3 * n), on).sub(0, 3 * n);
    crossing<space::Device, space::Pinned>::copy(staging, memory, on);
    return {reinterpret_cast<void const**>(memory.data), reinterpret_cast<std::size_t*>(memory.data + n),
            reinterpret_cast<void**>(memory.data + 2 * n)};
  }

  std::byte* scratch(std::size_t size, Queue<space::Device>& on) {
    return size == 0 ? nullptr : scratch_.take(in_steps(size), on).data;
  }

  std::size_t held() const { return staging_.held() + memory_.held() + scratch_.held() + inputs_.held(); }

 private:
  static_assert(sizeof(std::size_t) == sizeof(void*));

  std::vector<std::byte const*> from_;
  std::vector<std::size_t> sizes_;
  std::vector<std::byte*> to_;
  std::vector<Placement<space::Device>> moved_;
  std::size_t total_ = 0, largest_ = 0;
  Scratch<space::Pinned> staging_;
  Scratch<space::Device> memory_, scratch_, inputs_;
};

}  // namespace detail
}}  // namespace tessera::v0
