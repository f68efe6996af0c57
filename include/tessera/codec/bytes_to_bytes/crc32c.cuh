// DeviceCrc32c: crc32c in device memory; kernels check and append the checksums.
#pragma once
#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/codec/bytes_to_bytes/detail/crc32c_kernels.cuh>
#include <tessera/codec/concept.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// A mini-batch for the kernels, and their answers. Kept by the queue: it allocates only to grow.
class Crc32cBatch {
 public:
  void add(ByteView<space::Device> from, std::byte* to) {
    chunks_.push_back({from.data, to, from.size, slices_});
    slices_ += chunks_.back().slices();
  }
  void clear() { chunks_.clear(), slices_ = 0; }

  std::uint64_t count() const { return chunks_.size(); }
  std::uint64_t slices() const { return slices_; }
  Crc32cChunk const& operator[](std::size_t i) const { return chunks_[i]; }

  /// The chunks, and room for the parts of their slices, in device memory.
  struct OnDevice {
    Crc32cChunk const* chunks;
    std::uint32_t* parts;
  };
  OnDevice upload(Queue<space::Device>& on) {
    auto const size = chunks_.size() * sizeof(Crc32cChunk);
    auto const from = staging_.take(in_steps(size), on).sub(0, size);
    auto const there = memory_.take(in_steps(size + slices_ * sizeof(std::uint32_t)), on);
    std::memcpy(from.data, chunks_.data(), size);
    crossing<space::Device, space::Pinned>::copy(from, there.sub(0, size), on);
    return {reinterpret_cast<Crc32cChunk const*>(there.data), reinterpret_cast<std::uint32_t*>(there.data + size)};
  }
  /// The kernel writes them, the host reads them after waiting: a part for each slice, then a checksum for each chunk.
  std::uint32_t* answers(Queue<space::Device>& on) {
    auto const size = (slices_ + chunks_.size()) * sizeof(std::uint32_t);
    return reinterpret_cast<std::uint32_t*>(answers_.take(in_steps(size), on).data);
  }

  std::size_t held() const { return staging_.held() + answers_.held() + memory_.held(); }

 private:
  // Rounds up, so that a slightly larger batch does not allocate.
  static std::size_t in_steps(std::size_t size) { return std::bit_ceil(std::max(size, std::size_t{1} << 14)); }

  std::vector<Crc32cChunk> chunks_;
  std::uint64_t slices_ = 0;
  Scratch<space::Pinned> staging_, answers_;
  Scratch<space::Device> memory_;
};

}  // namespace detail

namespace codec {

/// The codec `crc32c` in device memory: it reads what codec::Crc32c wrote on the host, and vice versa. A list of codecs
/// may have both; a chunk uses the one that runs in its space.
struct DeviceCrc32c {
  using kind = bytes_to_bytes;
  static constexpr std::string_view name = Crc32c::name;
  template <class S>
  static constexpr bool runs_in = std::same_as<S, space::Device>;
  static constexpr bool has_fixed_size = true;
  static constexpr bool checks_bytes = true;
  static constexpr bool takes_sizes = true;

  static DeviceCrc32c from(ObjectReader&) { return {}; }
  Value configuration() const { return Members{}; }
  std::size_t encoded_bound(std::size_t decoded) const { return decoded + Crc32c::checksum_size; }

  /// One copy of the list of chunks and one launch, which also copies their bytes. The kernel writes its answers into
  /// page-locked memory, and the host waits for them once. Throws: CodecError with the number of the first chunk whose
  /// checksum is wrong, or, before anything is launched, whose size is; DeviceError.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void decode(std::span<CodecTask<space::Device>> batch, DeviceQueue& on) const {
    if constexpr (detail::check_kernels<DeviceQueue>()) {
      if (batch.empty()) return;
      auto lent = on.template lease<detail::Crc32cBatch>();
      lent->clear();
      for_each_below(batch.size(), [&](std::size_t i) {
        auto& task = batch[i];
        task.size = Crc32c::decoded_size(task.from.size, task.to.size);
        lent->add(task.from.sub(0, task.size), task.to.data);
      });
      auto const there = lent->upload(on);
      auto* const parts = lent->answers(on);
      auto* const stored = parts + lent->slices();
      launch_blocks(on, lent->slices(), detail::Crc32cSlices{there.chunks, lent->count(), parts, stored});
      lent.record();
      lent.wait();
      for_each_below(batch.size(), [&](std::size_t i) { Crc32c::expect((*lent)[i].checksum(parts), stored[i]); });
    }
  }

  /// One copy of the list of chunks and two launches; the host does not wait. Throws: DeviceError.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void encode(std::span<CodecTask<space::Device>> batch, DeviceQueue& on) const {
    for (auto& task : batch) task.size = encoded_bound(task.from.size);
    encode(std::span<CodecTask<space::Device> const>{batch}, EncodedSizes{}, on);
  }
  /// The same, with sizes in device memory.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void encode(std::span<CodecTask<space::Device> const> batch, EncodedSizes const& sizes, DeviceQueue& on) const {
    if constexpr (detail::check_kernels<DeviceQueue>()) {
      if (batch.empty()) return;
      auto lent = on.template lease<detail::Crc32cBatch>();
      lent->clear();
      for (auto const& task : batch) lent->add(task.from, task.to.data);
      auto const there = lent->upload(on);
      launch_blocks(on, lent->slices(),
                    detail::Crc32cSlices{there.chunks, lent->count(), there.parts, nullptr, sizes.before});
      launch(on, lent->count(), detail::AppendCrc32c{there.chunks, there.parts, sizes.before, sizes.after});
    }
  }

 private:
  template <class F>
  static void for_each_below(std::size_t count, F&& f) {
    for (std::size_t i = 0; i < count; ++i) try {
        f(i);
      } catch (Error& error) {
        error.in_chunk(i);
        throw;
      }
  }
};

}  // namespace codec
}}  // namespace tessera::v0
