// StageTask and StageBuffers: a mini-batch between two stages of a pipeline; only these know the space of its bytes.
// All chunks pass a stage before the next stage begins.
#pragma once
#include <concepts>
#include <cstddef>
#include <span>
#include <vector>

#include <tessera/buffer/detail/scratch.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/key/key.hpp>
#include <tessera/pipeline/detail/resolved_chunk.hpp>
#include <tessera/place/detail/any_placer.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// The space of bytes between stages, for code that does not touch them.
struct Somewhere {
  static constexpr bool host_accessible = false, device_accessible = false;
};
using StageTask = CodecTask<Somewhere>;

/// The same bytes in Somewhere, or in the space that the caller knows.
template <MemorySpace To, MemorySpace From>
requires(std::same_as<To, Somewhere> || std::same_as<From, Somewhere>) ByteView<To> known_in(ByteView<From> bytes) {
  return {bytes.data, bytes.size};
}
template <MemorySpace To, MemorySpace From>
requires(std::same_as<To, Somewhere> || std::same_as<From, Somewhere>) ByteSpan<To> known_in(ByteSpan<From> bytes) {
  return {bytes.data, bytes.size};
}

/// An object of any type for one stage, kept for the next mini-batch.
class StageObject {
 public:
  StageObject() = default;
  StageObject(StageObject&& other) noexcept { swap(other); }
  StageObject& operator=(StageObject&& other) noexcept;
  ~StageObject() { reset(); }

  /// The held T; a new one, if the last call asked for another type.
  template <class T>
  T& of() {
    if (type_ != &tag<T>) {
      reset();  // before the new one exists
      object_ = new T();
      type_ = &tag<T>;
      destroy_ = [](void* object) { delete static_cast<T*>(object); };
    }
    return *static_cast<T*>(object_);
  }

 private:
  template <class T>
  static constexpr char tag{};  // its address names T
  void reset() noexcept;
  void swap(StageObject& other) noexcept;

  void const* type_ = nullptr;
  void* object_ = nullptr;  // by hand: std::make_shared compiles slowly, for each codec
  void (*destroy_)(void*) = nullptr;
};

/// A pipeline's queue, for a stage that knows its spaces.
class StageQueues {
 public:
  explicit StageQueues(Queue<space::Host>& on) : host_{&on} {}
  template <std::same_as<Queue<space::Device>> DeviceQueue>
  explicit StageQueues(DeviceQueue& on) : host_{&on.host()}, device_{&on} {}

  template <MemorySpace A, MemorySpace B = A>
  crossing_queue<A, B>& between() const {
    if constexpr (std::same_as<crossing_queue<A, B>, Queue<space::Host>>)
      return *host_;
    else
      return *device_;
  }

 private:
  Queue<space::Host>* host_;
  Queue<space::Device>* device_ = nullptr;
};

/// n bytes of a space. Its address names the space, too.
using TakeScratch = ByteSpan<Somewhere> (*)(StageObject&, std::size_t n, StageQueues const&);
template <MemorySpace S>
ByteSpan<Somewhere> take_scratch(StageObject& scratch, std::size_t n, StageQueues const& on) {
  return known_in<Somewhere>(scratch.of<Scratch<S>>().take(n, on.between<S>()));
}

class AnyStage;
/// An encoder behind another one, for chunks whose sizes the host does not know: they may be as large as their room.
struct StageLink {
  AnyStage const* stage;
  std::span<StageTask> tasks;
  StageObject* lists;
};

/// Lists and scratch of a pipeline, indexed by the stage among those that run, and kept for the next mini-batch.
/// Pipelines of any codecs may take turns.
struct StageBuffers {
  struct OfStage {
    StageObject lists;                ///< the stage's form of `tasks`
    StageObject scratch;              ///< for bytes between it and the stage before it, seen from the elements
    std::vector<StageTask> linked{};  ///< its own tasks, if it is a link
  };
  std::size_t most = 0;  ///< scratch has room for this many chunks from the start
  std::vector<StageTask> tasks{};
  std::vector<OfStage> stages{};
};
struct DecodeBuffers : StageBuffers {
  bool apart = false;      ///< each encoded chunk is an allocation of its own
  bool ahead = false;      ///< no earlier work of the queue uses this, or the destinations of chunks
  bool is_placed = false;  ///< elements are placed next, from device memory, and not read otherwise
  AnyPlacer<space::Device> const* placer = nullptr;  ///< if so, their placer; null: placer<space::Device>
  bool are_ranges = false;          ///< if the form `stores_ranges`, stored bytes are only those that parts need
  std::uint64_t beside = 0;         ///< bytes that were decoded beside the parts
  std::vector<ByteRange> ranges{};  ///< of the decoded bytes, for each chunk; empty: all whole
  std::vector<ChunkPart> parts{};   ///< the same at one stage
  std::uint64_t most_payload = most_varying;         ///< the most bytes of a chunk whose elements vary in size
};
struct EncodeBuffers : StageBuffers {
  std::vector<StageLink> links{};
};

/// Runs a cast: one copy for neighbours on both sides. With `apart`, chunks are separate allocations, neighbours only
/// by chance, and each needs its own copy. With `ahead`, no earlier work of the queue uses the destination, so bytes
/// from the host need not wait for it. Throws: CodecError, if bytes do not fit.
template <MemorySpace From, MemorySpace To>
void cross_batch(std::span<StageTask> batch, crossing_queue<To, From>& on, bool apart = false, bool ahead = false) {
  ByteView<From> from;
  ByteSpan<To> to;
  auto const cross = [&] {
    if (from.size == 0) return;
    if constexpr (CrossesAhead<To, From>)
      if (ahead) return crossing<To, From>::copy_ahead(from, to, on);
    crossing<To, From>::copy(from, to, on);
  };
  for (std::size_t i = 0; i < batch.size(); ++i) {
    auto& task = batch[i];
    task.size = task.from.size;
    if (task.size > task.to.size) expect_size(task.size, task.to.size, i);
    if (!apart && from.size > 0 && task.from.data == from.data + from.size && task.to.data == to.data + to.size) {
      from.size = to.size += task.size;
      continue;
    }
    cross();
    from = known_in<From>(task.from);
    to = known_in<To>(task.to.sub(0, task.size));
  }
  cross();
  arrive<To, From>(on);
}

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/pipeline/detail/batch.ipp>
#endif
