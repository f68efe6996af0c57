// FrameBatch: compressed chunks of a mini-batch, for a decoder of lists in device memory. A kernel walks their frames
// before the decoder runs, and one copy returns all answers.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/codec/bytes_to_bytes/detail/frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/lz4_frame.hpp>
#include <tessera/codec/bytes_to_bytes/detail/lz4_windows.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/core/config.hpp>
#include <tessera/memory/detail/launch_apart.cuh>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 {
namespace detail {

/// A decoder's input, and the answers of the decoder and the walk: an entry for each chunk.
struct FrameLists {
  void const** from;
  std::size_t *sizes, *rooms;
  void** to;
  std::size_t* decoded;    ///< the decoder's answers: bytes written ...
  FoundFrame* frames;      ///< the walk's answer
  std::int32_t* statuses;  ///< ... and whether it succeeded: 0
};

/// Fills the lists. A chunk whose frame is not sound never reaches the decoder, whose behaviour might be undefined: a
/// harmless one replaces it, decoded into the chunk's own entry of the host's list.
template <class Frame>
struct WalkFrames {
  FramedChunk* chunks;
  std::byte const* harmless;
  FrameLists lists;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    found(i, Frame::walk(chunks[i].from, chunks[i].size));
  }
  TESSERA_HOST_DEVICE void found(std::uint64_t i, FoundFrame frame) const {
    auto const chunk = chunks[i];
    if (frame.problem == FrameProblem::none && frame.content != FoundFrame::unsaid && frame.content > chunk.room)
      frame.problem = FrameProblem::too_large;
    bool const is_sound = frame.problem == FrameProblem::none;
    auto const all = is_sound ? chunk.from : harmless;
    auto const walked = is_sound ? frame : Frame::walk(harmless, sizeof Frame::harmless);
    lists.from[i] = all + walked.payload;
    lists.sizes[i] = (is_sound ? chunk.size : sizeof Frame::harmless) - walked.payload - walked.tail;
    lists.to[i] = is_sound ? static_cast<void*>(chunk.to) : chunks + i;
    lists.rooms[i] = is_sound ? chunk.room : 1;
    lists.frames[i] = frame;
  }
};

/// The same for LZ4 frames, each walked by several threads.
template <class Frame>
struct WalkLz4Frames : WalkFrames<Frame> {
  TESSERA_HOST_DEVICE Lz4Block::Walk listed(std::uint64_t i) const {
    constexpr auto header = Frame::header;
    auto const& chunk = this->chunks[i];
    return chunk.size <= header ? Lz4Block::Walk::of(chunk.from, 0)
                                : Lz4Block::Walk::of(chunk.from + header, chunk.size - header);
  }
  TESSERA_HOST_DEVICE void found(std::uint64_t i, FoundFrame block) const {
    auto const& chunk = this->chunks[i];
    WalkFrames<Frame>::found(i, chunk.size <= Frame::header ? block : Frame::of_block(chunk.from, block));
  }
};
template <class Frame>
void walk_frames(WalkFrames<Frame> const& walk, std::size_t count, Queue<space::Device>& on) {
  if constexpr (std::is_same_v<Frame, Lz4Frame>)
    launch_blocks(on, count, WalkLz4Windows<WalkLz4Frames<Frame>>{{walk}});
  else
    launch_apart(on, count, walk);
}

/// Kept by the queue: it allocates only to grow.
class FrameBatch {
 public:
  void begin(std::span<CodecTask<space::Device> const> tasks) {
    chunks_.clear();
    total_ = largest_ = 0;
    longest_ = harmless_size;
    for (auto const& task : tasks) {
      chunks_.push_back({task.from.data, task.to.data, task.from.size, task.to.size});
      total_ += task.to.size;
      largest_ = std::max(largest_, task.to.size);
      longest_ = std::max(longest_, task.from.size);
    }
  }
  std::size_t count() const { return chunks_.size(); }
  std::size_t total() const { return total_; }      ///< decoded bytes of all chunks, at most
  std::size_t largest() const { return largest_; }  ///< of one chunk, at most
  std::size_t longest() const { return longest_; }  ///< bytes of the decoder's longest input

  /// One copy and one launch.
  template <class Frame>
  FrameLists walked(Queue<space::Device>& on) {
    auto const listed = chunks_.size() * sizeof(FramedChunk);
    auto const sent = listed + harmless_size;
    static_assert(sizeof Frame::harmless <= harmless_size);
    auto const staging = staging_.take(in_steps(sent), on).sub(0, sent);
    std::memcpy(staging.data, chunks_.data(), listed);
    std::memcpy(staging.data + listed, Frame::harmless, sizeof Frame::harmless);
    auto const memory = memory_.take(in_steps(sent + count() * (each_list + each_answer)), on);
    crossing<space::Device, space::Pinned>::copy(staging, memory.sub(0, sent), on);
    auto* const lists = memory.data + sent;
    there_ = lists + count() * each_list;
    auto const result = in_order(lists, there_);
    walk_frames(WalkFrames<Frame>{reinterpret_cast<FramedChunk*>(memory.data), memory.data + listed, result}, count(),
                on);
    return result;
  }

  std::byte* scratch(std::size_t size, Queue<space::Device>& on) {
    return size == 0 ? nullptr : scratch_.take(in_steps(size), on).data;
  }

  /// One copy of all answers, which the host may read after waiting.
  void answer(Queue<space::Device>& on) {
    auto const size = count() * each_answer;
    auto const here = answers_.take(in_steps(size), on).sub(0, size);
    crossing<space::Pinned, space::Device>::copy(ByteView<space::Device>{there_, size}, here, on);
    here_ = in_order(nullptr, here.data);
  }
  FoundFrame const& frame(std::size_t i) const { return here_.frames[i]; }
  std::int32_t status(std::size_t i) const { return here_.statuses[i]; }
  std::size_t decoded(std::size_t i) const { return here_.decoded[i]; }

  std::size_t held() const { return staging_.held() + answers_.held() + memory_.held() + scratch_.held(); }

 private:
  static constexpr std::size_t harmless_size = 32, each_list = 4 * sizeof(void*),
                               each_answer = sizeof(std::size_t) + sizeof(FoundFrame) + sizeof(std::int32_t);
  static_assert(sizeof(FramedChunk) % 8 == 0 && sizeof(FoundFrame) % 8 == 0 && sizeof(std::size_t) == sizeof(void*));

  // Rounds up by an eighth at most, so that a slightly larger batch does not allocate.
  static std::size_t in_steps(std::size_t size) {
    auto const step = std::max(std::bit_floor(size) / 8, std::size_t{1} << 14);
    return (size + step - 1) / step * step;
  }

  FrameLists in_order(std::byte* lists, std::byte* answers) const {
    auto const n = count();
    auto const list = [&](std::size_t which) { return lists ? lists + which * n * sizeof(void*) : nullptr; };
    auto* const frames = answers + n * sizeof(std::size_t);
    return {reinterpret_cast<void const**>(list(0)),
            reinterpret_cast<std::size_t*>(list(1)),
            reinterpret_cast<std::size_t*>(list(2)),
            reinterpret_cast<void**>(list(3)),
            reinterpret_cast<std::size_t*>(answers),
            reinterpret_cast<FoundFrame*>(frames),
            reinterpret_cast<std::int32_t*>(frames + n * sizeof(FoundFrame))};
  }

  std::vector<FramedChunk> chunks_;
  std::size_t total_ = 0, largest_ = 0, longest_ = 0;
  Scratch<space::Pinned> staging_, answers_;
  Scratch<space::Device> memory_, scratch_;
  std::byte* there_ = nullptr;
  FrameLists here_{};
};

}  // namespace detail
}}  // namespace tessera::v0
