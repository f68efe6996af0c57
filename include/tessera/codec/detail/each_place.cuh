// launch_places: kernels that call a function for each place of all chunks of a mini-batch.
#pragma once
#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/codec/concept.hpp>
#include <tessera/core/error.hpp>
#include <tessera/memory/launch.cuh>
#include <tessera/memory/queue.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// Chunks of one launch: among the kernel's arguments, which are 4 KiB at most.
struct LaunchedChunks {
  static constexpr std::size_t most = 192;
  struct Chunk {
    std::byte const* from;
    std::byte* to;
  };
  Chunk chunks[most];
};

/// Calls launch(chunks, part, first) for consecutive chunks of equal size, 192 at most: `part` of the batch, which
/// begins at `first`.
template <class F>
void for_each_launch(std::span<CodecTask<space::Device>> batch, F&& launch) {
  for (std::size_t first = 0; first < batch.size();) {
    LaunchedChunks chunks{};
    std::size_t n = 0;
    for (; n < LaunchedChunks::most && first + n < batch.size(); ++n) {
      auto const& task = batch[first + n];
      if (task.from.size != batch[first].from.size) break;
      chunks.chunks[n] = {task.from.data, task.to.data};
    }
    launch(chunks, batch.subspan(first, n), first);
    first += n;
  }
}

/// Calls call(task i of `part`) and adds the chunk's number to its errors; `part` begins at `first` of the batch.
template <class F>
decltype(auto) of_chunk(std::span<CodecTask<space::Device>> part, std::size_t first, std::size_t i, F&& call) {
  try {
    return call(part[i]);
  } catch (Error& error) {
    error.in_chunk(first + i);
    throw;
  }
}

/// Calls f(from, to, place) for each place below `count` of each chunk. f returns false to refuse the place.
template <class F>
struct EachPlace {
  F f;
  std::uint64_t count;
  /// Page-locked: 1 + the index of a refused place among those of all chunks. May be null.
  std::uint64_t* refused;
  LaunchedChunks all;

  TESSERA_HOST_DEVICE void operator()(std::uint64_t i) const {
    auto const& chunk = all.chunks[i / count];
    if (!f(chunk.from, chunk.to, i % count) && refused) *refused = i + 1;  // any one of several
  }
};

/// The place that kernels refuse. Kept by the queue.
class RefusedPlace {
 public:
  std::uint64_t* there(Queue<space::Device>& on) {
    number_ = reinterpret_cast<std::uint64_t*>(memory_.take(sizeof(std::uint64_t), on).data);
    *number_ = 0;
    return number_;
  }
  std::uint64_t number() const { return *number_; }
  std::size_t held() const { return memory_.held(); }

 private:
  Scratch<space::Pinned> memory_;
  std::uint64_t* number_ = nullptr;
};

/// The function for a chunk, and its number of places.
template <class F>
struct PlacesOfChunk {
  F f;
  std::uint64_t count;
};

/// One launch for up to 192 chunks of one size. of(task) returns the task's PlacesOfChunk, and sets its size;
/// refuse(task, place) throws. If `may_refuse`, the host waits once for each launch. Throws: exceptions of these, with
/// the chunk's number; DeviceError.
template <class DeviceQueue, class Of, class Refuse>
void launch_places(std::span<CodecTask<space::Device>> batch, DeviceQueue& on, Of&& of, bool may_refuse,
                   Refuse&& refuse) {
  if constexpr (check_kernels<DeviceQueue>()) {
    for_each_launch(batch, [&](LaunchedChunks const& chunks, auto part, std::size_t first) {
      for (std::size_t i = 1; i < part.size(); ++i) (void)of_chunk(part, first, i, of);
      auto const places = of_chunk(part, first, 0, of);
      using Kernel = EachPlace<decltype(places.f)>;
      static_assert(sizeof(Kernel) <= 4096, "a kernel's arguments may have at most 4096 bytes");
      if (!may_refuse) return launch(on, part.size() * places.count, Kernel{places.f, places.count, nullptr, chunks});
      auto lent = on.template lease<RefusedPlace>();
      launch(on, part.size() * places.count, Kernel{places.f, places.count, lent->there(on), chunks});
      lent.record();
      lent.wait();
      if (auto const number = lent->number(); number != 0)
        of_chunk(part, first, (number - 1) / places.count,
                 [&](auto& task) { refuse(task, (number - 1) % places.count); });
    });
  }
}
template <class DeviceQueue, class Of>
void launch_places(std::span<CodecTask<space::Device>> batch, DeviceQueue& on, Of&& of) {
  launch_places(batch, on, of, false, [](auto const&, std::uint64_t) {});
}

}}}  // namespace tessera::v0::detail
