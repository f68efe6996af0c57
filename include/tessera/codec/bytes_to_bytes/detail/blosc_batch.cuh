// BloscBatch: blosc chunks of a mini-batch, split on the device into lists of streams for decoders. The placer joins
// the decoded streams. The host sees only the headers, which give the number of streams.
#pragma once
#include <algorithm>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/codec/bytes_to_bytes/detail/align_frames.hpp>
#include <tessera/codec/bytes_to_bytes/detail/blosc_chunk.hpp>
#include <tessera/codec/bytes_to_bytes/detail/blosc_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/blosc_source.cuh>
#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/unshuffle.hpp>
#include <tessera/codec/bytes_to_bytes/detail/walk_blosc.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/memory/detail/launch_apart.cuh>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>
#include <tessera/place/detail/placing.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// Streams of one format, consecutive in the lists.
struct BloscStreams {
  std::uint64_t first = 0, count = 0;
  std::uint64_t total = 0, largest = 0;  ///< decoded bytes: of all, and of the largest
};

// Rounds up by an eighth at most, so that a slightly larger batch does not allocate.
inline std::size_t in_blosc_steps(std::size_t size) {
  auto const step = std::max(std::bit_floor(size) / 8, std::size_t{1} << 14);
  return (size + step - 1) / step * step;
}

/// Lists copied to device memory at once, and answers copied back at once.
class BloscCopies {
 public:
  /// Copies all lists, one after the other, to device memory that has `more` further bytes.
  std::byte* send(std::initializer_list<std::span<std::byte const>> lists, std::size_t more, Queue<space::Device>& on) {
    std::size_t size = 0;
    for (auto const& list : lists) size += list.size();
    auto const staging = staging_.take(in_blosc_steps(size), on).sub(0, size);
    auto* next = staging.data;
    for (auto const& list : lists) next = std::copy(list.begin(), list.end(), next);
    auto const there = memory_.take(in_blosc_steps(size + more), on);
    crossing<space::Device, space::Pinned>::copy(staging, there.sub(0, size), on);
    return there.data;
  }
  /// The host may read it after waiting.
  std::byte* receive(std::byte const* from, std::size_t size, Queue<space::Device>& on) {
    auto const here = answers_.take(in_blosc_steps(size), on).sub(0, size);
    crossing<space::Pinned, space::Device>::copy(ByteView<space::Device>{from, size}, here, on);
    return here.data;
  }
  std::size_t held() const { return staging_.held() + answers_.held() + memory_.held(); }

 private:
  Scratch<space::Pinned> staging_, answers_;
  Scratch<space::Device> memory_;
};

/// The headers of a mini-batch's chunks, for the host. Kept by the queue, as is BloscBatch: they allocate only to grow.
/// They are leased separately, because a lease ends where it was waited for. Functions that launch kernels are
/// templates, for units that only name the codec.
class BloscHeaders {
 public:
  /// One copy of the list, a launch, one copy of the results, which the host may read after waiting.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void ask(std::span<CodecTask<space::Device> const> tasks, DeviceQueue& on) {
    listed_.clear();
    for (auto const& task : tasks) listed_.push_back({task.from.data, task.to.data, task.from.size, task.to.size});
    auto const list = std::as_bytes(std::span{listed_});
    auto const found = listed_.size() * sizeof(BloscFrame);
    auto* const there = copies_.send({list}, found, on);
    auto* const frames = there + list.size();
    launch(on, listed_.size(),
           WalkBloscHeaders{reinterpret_cast<FramedChunk*>(there), reinterpret_cast<BloscFrame*>(frames)});
    frames_ = reinterpret_cast<BloscFrame const*>(copies_.receive(frames, found, on));
  }
  std::size_t count() const { return listed_.size(); }
  FramedChunk const& chunk(std::size_t i) const { return listed_[i]; }
  BloscFrame const& frame(std::size_t i) const { return frames_[i]; }

  std::size_t held() const { return copies_.held(); }

 private:
  std::vector<FramedChunk> listed_;
  BloscCopies copies_;
  BloscFrame const* frames_ = nullptr;
};

class BloscBatch {
 public:
  /// One copy of the headers' results, and a launch that fills the lists. `apart`: streams are decoded into memory of
  /// this object, and not to their chunks' destinations. Requires: all headers are sound, fit the room, and have
  /// streams of known formats.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  BloscLists walked(BloscHeaders const& headers, bool apart, DeviceQueue& on) {
    plan(headers, apart, on);
    BloscHarmless const harmless;
    auto const stand_ins = std::as_bytes(std::span{&harmless, 1}), chunks = std::as_bytes(std::span{chunks_}),
               bytes = std::as_bytes(std::span{bytes_});
    static_assert(sizeof harmless % 8 == 0 && sizeof(BloscChunk) % 8 == 0 && sizeof(BloscBytes) % 8 == 0);
    auto const lists = streams_ * BloscLists::each_list;
    auto* const there = copies_.send({stand_ins, chunks, bytes}, lists + answers(), on);
    auto* const chunks_there = there + stand_ins.size();
    auto* const bytes_there = chunks_there + chunks.size();
    lists_ = BloscLists::in(bytes_there + bytes.size(), streams_);
    source_ = {reinterpret_cast<BloscBytes const*>(bytes_there), bytes_.size(), lists_.bytes};
    launch_apart(on, blocks_,
                 WalkBloscBlocks{reinterpret_cast<BloscChunk const*>(chunks_there), chunks_.size(),
                                 reinterpret_cast<BloscHarmless const*>(there), lists_});
    return lists_;
  }
  BloscStreams const& streams_of(BloscInside inside) const { return of_format_[static_cast<std::size_t>(inside)]; }

  std::byte* scratch(std::size_t size, Queue<space::Device>& on) {
    return size == 0 ? nullptr : scratch_.take(in_blosc_steps(size), on).data;
  }

  /// One copy of the decoders' answers, which the host may read after waiting.
  void answer(Queue<space::Device>& on) {
    if (streams_ > 0) here_ = lists_.answers_in(copies_.receive(lists_.answers(), answers(), on), streams_);
  }
  /// The decoders' output; valid if all chunks are sound, and until this object gets other chunks.
  BloscSource const& source() const { return source_; }
  /// Places the chunks' bytes at their destinations, which are apart from the decoders' output.
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  void join(std::span<CodecTask<space::Device> const> tasks, DeviceQueue& on) {
    whole_.clear();
    for (auto const& task : tasks) whole_.push_back({task.to.data, task.to.data, {task.size}});
    place_by_kernels<space::Device>(whole_, {1, 1, {}, {1}, {1}}, on, most_words, source_);
  }

  /// Reports a chunk's first bad block: `f(block, problem)` or `f(block, status)`.
  template <class F>
  void check(std::size_t i, F&& f) const {
    auto const& chunk = chunks_[place_[i]];
    auto stream = chunk.first_stream;
    for (std::uint64_t block = 0; block < chunk.frame.blocks(); ++block) {
      auto const problem = here_.problems[chunk.first_block + block];
      if (problem != FrameProblem::none) return f(block, problem);
      for (auto const end = stream + chunk.frame.splits_of(block); stream < end; ++stream)
        if (here_.statuses[stream] != 0 || here_.decoded[stream] != here_.rooms[stream])
          return f(block, here_.statuses[stream]);
    }
  }

  std::size_t held() const { return copies_.held() + scratch_.held() + decoded_.held() + slots_.held(); }

 private:
  // Sorts chunks by format, so that streams of a format are consecutive.
  void plan(BloscHeaders const& headers, bool apart, Queue<space::Device>& on) {
    auto const n = headers.count();
    order_.resize(n), place_.resize(n);
    for (std::size_t i = 0; i < n; ++i) order_[i] = i;
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return headers.frame(a).inside < headers.frame(b).inside; });
    chunks_.clear();
    bytes_.clear();
    for (auto& format : of_format_) format = {};
    streams_ = blocks_ = 0;
    std::size_t decoded = 0, slots = 0;
    for (auto const i : order_) {
      place_[i] = chunks_.size();
      auto const& listed = headers.chunk(i);
      chunks_.push_back({headers.frame(i), listed.from, listed.to, nullptr, blocks_, streams_});
      auto const& frame = chunks_.back().frame;
      bytes_.push_back({frame, listed.from, listed.to, streams_});
      auto& format = of_format_[static_cast<std::size_t>(frame.inside)];
      if (format.count == 0) format.first = streams_;
      format.count += frame.streams();
      format.total += frame.content;
      format.largest = std::max<std::uint64_t>(format.largest, std::min<std::uint64_t>(frame.block, frame.content));
      streams_ += frame.streams();
      blocks_ += frame.blocks();
      decoded += aligned_size(frame.content);
      slots += size_of_slots(chunks_.back());
    }
    std::sort(bytes_.begin(), bytes_.end(), [](auto const& a, auto const& b) { return a.first < b.first; });
    auto* to = apart ? decoded_.take(in_blosc_steps(decoded), on).data : nullptr;
    auto* slot = slots == 0 ? nullptr : slots_.take(in_blosc_steps(slots), on).data;
    for (auto& chunk : chunks_) {
      if (apart) chunk.decoded = std::exchange(to, to + aligned_size(chunk.frame.content));
      chunk.slots = size_of_slots(chunk) == 0 ? nullptr : slot;
      slot += size_of_slots(chunk);
    }
  }
  static std::size_t size_of_slots(BloscChunk const& chunk) {
    auto const& frame = chunk.frame;
    return frame.inside != BloscInside::zlib ? 0 : frame.blocks() * frame.splits * chunk.slot();
  }
  std::size_t answers() const { return streams_ * BloscLists::each_answer + blocks_ * sizeof(FrameProblem); }

  std::vector<std::size_t> order_, place_;  // the chunk at each position; the position of each chunk
  std::vector<BloscChunk> chunks_;
  std::vector<BloscBytes> bytes_;  // in the order that kernels need
  std::vector<Placement<space::Device>> whole_;
  BloscStreams of_format_[static_cast<std::size_t>(BloscInside::nothing) + 1];
  std::uint64_t streams_ = 0, blocks_ = 0;
  BloscCopies copies_;
  Scratch<space::Device> scratch_, decoded_, slots_;
  BloscLists lists_{}, here_{};
  BloscSource source_{};
};

}  // namespace detail
}}  // namespace tessera::v0
