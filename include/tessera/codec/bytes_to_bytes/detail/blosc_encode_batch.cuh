// BloscEncodeBatch: chunks of a mini-batch, encoded to blosc frames in device memory: shuffled, listed as streams for
// an encoder, and joined from its output.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/codec/bytes_to_bytes/detail/blosc_plan.hpp>
#include <tessera/codec/bytes_to_bytes/detail/encode_batch.cuh>
#include <tessera/codec/bytes_to_bytes/detail/write_blosc.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/encoded_sizes.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// Kept by the queue: it allocates only to grow. Functions that launch kernels are templates, for units that only name
/// the codec.
class BloscEncodeBatch {
 public:
  /// Throws: CodecError with the number of the first chunk that no frame can hold.
  void begin(std::span<CodecTask<space::Device> const> tasks, BloscForm const& form) {
    plans_.clear();
    streams_ = tiles_ = largest_ = 0;
    shuffled_size_ = 0;
    for (std::size_t i = 0; i < tasks.size(); ++i) try {
        auto const& task = tasks[i];
        if (task.from.size == 0) throw CodecError{"this implementation cannot encode a chunk of 0 bytes"};
        auto const frame = plan_blosc(form, task.from.size);
        if (auto const least = BloscFrame::header + frame.content; task.to.size < least)
          throw CodecError{to_text({"found room for ", task.to.size, " bytes, expected at least ", least})};
        plans_.push_back({frame, task.from.data, task.to.data, nullptr, streams_, tiles_});
        auto const& plan = plans_.back();
        streams_ += frame.streams();
        tiles_ += plan.tiles();
        shuffled_size_ += frame.blocks() * plan.apart();
        for (auto const block : {std::uint64_t{0}, frame.blocks() - 1})  // the last block may be one stream
          largest_ = std::max<std::size_t>(largest_, frame.size_of(block) / frame.splits_of(block));
      } catch (Error& error) {
        error.in_chunk(i);
        throw;
      }
  }
  std::size_t largest() const { return largest_; }  ///< bytes of the largest stream before encoding

  /// One copy and one launch. For each stream its shuffled bytes, and room for their encoding.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  std::span<CodecTask<space::Device> const> shuffle(std::size_t room, DeviceQueue& on) {
    auto* shuffled = shuffled_.take(in_steps(shuffled_size_), on).data;
    for (auto& plan : plans_) {
      plan.shuffled = shuffled;
      shuffled += plan.frame.blocks() * plan.apart();
    }
    room = aligned_size(room);
    auto* to = encoded_.take(in_steps(streams_ * room), on).data;
    listed_.clear();
    for (auto const& plan : plans_)
      for (std::uint64_t i = 0; i < plan.frame.streams(); ++i, to += room) {
        auto const stream = plan.stream(i);
        auto const* const from = plan.shuffled + stream.block * plan.apart() + stream.part * stream.size;
        listed_.push_back({{from, stream.size}, {to, room}});
      }
    upload(on);
    launch_blocks(on, tiles_, ShuffleBlocks{there_, plans_.size()});
    return listed_;
  }
  /// For the encoder to write.
  EncodedSizes answers() const { return {nullptr, sizes_, statuses_}; }

  /// Two launches.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void join(EncodeLists const& lists, EncodedSizes const& sizes, DeviceQueue& on) const {
    write({lists.from, lists.sizes, lists.to, sizes_, statuses_, places_}, sizes, on);
  }
  /// One copy and two launches: stores chunks uncompressed.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void store(EncodedSizes const& sizes, DeviceQueue& on) {
    upload(on);
    write({}, sizes, on);
  }

  std::size_t held() const { return staging_.held() + memory_.held() + shuffled_.held() + encoded_.held(); }

 private:
  void upload(Queue<space::Device>& on) {
    auto const size = plans_.size() * sizeof(BloscPlan);
    static_assert(sizeof(BloscPlan) % sizeof(void*) == 0);
    auto const from = staging_.take(in_steps(size), on).sub(0, size);
    std::memcpy(from.data, plans_.data(), size);
    auto const each = 2 * sizeof(std::uint64_t) + sizeof(std::int32_t);
    auto const there = memory_.take(in_steps(size + streams_ * each), on);
    crossing<space::Device, space::Pinned>::copy(from, there.sub(0, size), on);
    there_ = reinterpret_cast<BloscPlan const*>(there.data);
    sizes_ = reinterpret_cast<std::size_t*>(there.data + size);
    places_ = reinterpret_cast<std::uint64_t*>(sizes_ + streams_);
    statuses_ = reinterpret_cast<std::int32_t*>(places_ + streams_);
  }
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void write(BloscStreamLists const& lists, EncodedSizes const& sizes, DeviceQueue& on) const {
    launch(on, plans_.size(), LayOutBlosc{there_, lists, sizes});
    launch_blocks(on, streams_, WriteBlosc{there_, plans_.size(), lists, sizes.after});
  }

  std::vector<BloscPlan> plans_;
  std::vector<CodecTask<space::Device>> listed_;  // the streams
  std::uint64_t streams_ = 0, tiles_ = 0;
  std::size_t largest_ = 0, shuffled_size_ = 0;
  Scratch<space::Pinned> staging_;
  Scratch<space::Device> memory_, shuffled_, encoded_;
  BloscPlan const* there_ = nullptr;
  std::size_t* sizes_ = nullptr;
  std::uint64_t* places_ = nullptr;
  std::int32_t* statuses_ = nullptr;
};

}}}  // namespace tessera::v0::detail
