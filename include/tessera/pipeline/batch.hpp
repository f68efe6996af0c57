// A mini-batch between two stages of a pipeline: bytes whose space these two know. All chunks pass a stage before the
// next stage begins.
#pragma once
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tessera/buffer/scratch.hpp>
#include <tessera/cast/concept.hpp>
#include <tessera/codec/chunk.hpp>
#include <tessera/pipeline/form.hpp>
#include <tessera/place/any_placer.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// The space of bytes between stages, as what runs the stages calls it. It touches none of them.
struct Somewhere {
  static constexpr bool host_accessible = false, device_accessible = false;
};
using StageTask = CodecTask<Somewhere>;

/// The same bytes as those call them who know where they are.
template <MemorySpace To, MemorySpace From>
requires(std::same_as<To, Somewhere> || std::same_as<From, Somewhere>) ByteView<To> known_in(ByteView<From> bytes) {
  return {bytes.data, bytes.size};
}
template <MemorySpace To, MemorySpace From>
requires(std::same_as<To, Somewhere> || std::same_as<From, Somewhere>) ByteSpan<To> known_in(ByteSpan<From> bytes) {
  return {bytes.data, bytes.size};
}

/// An object of any type for one stage, which the next mini-batch uses again.
class StageObject {
 public:
  StageObject() = default;
  StageObject(StageObject&& other) noexcept { swap(other); }
  StageObject& operator=(StageObject&& other) noexcept {
    StageObject{std::move(other)}.swap(*this);
    return *this;
  }
  ~StageObject() { reset(); }

  /// The T that this holds, which is made unless the last that was asked for was a T.
  template <class T>
  T& of() {
    if (type_ != &tag<T>) {
      reset();  // before there is another
      object_ = new T();
      type_ = &tag<T>;
      destroy_ = [](void* object) { delete static_cast<T*>(object); };
    }
    return *static_cast<T*>(object_);
  }

 private:
  template <class T>
  static constexpr char tag{};  // its address names T
  void reset() noexcept {
    type_ = nullptr;
    if (auto* const object = std::exchange(object_, nullptr)) destroy_(object);
  }
  void swap(StageObject& other) noexcept {
    std::swap(type_, other.type_);
    std::swap(object_, other.object_);
    std::swap(destroy_, other.destroy_);
  }

  void const* type_ = nullptr;
  void* object_ = nullptr;  // by hand: std::make_shared is much to compile, for each codec
  void (*destroy_)(void*) = nullptr;
};

/// A pipeline's queue, as a stage takes it that knows its spaces.
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

/// n bytes of a space. It is named by its address, too.
using TakeScratch = ByteSpan<Somewhere> (*)(StageObject&, std::size_t n, StageQueues const&);
template <MemorySpace S>
ByteSpan<Somewhere> take_scratch(StageObject& scratch, std::size_t n, StageQueues const& on) {
  return known_in<Somewhere>(scratch.of<Scratch<S>>().take(n, on.between<S>()));
}

class AnyStage;
/// An encoder behind another, with sizes of chunks that the host does not know: they may be all that there is room for.
struct StageLink {
  AnyStage const* stage;
  std::span<StageTask> tasks;
  StageObject* lists;
};

/// What a pipeline needs for one mini-batch after the other: lists and scratch, by the number of the stage among those
/// that run. Pipelines of any codecs may take turns.
struct StageBuffers {
  struct OfStage {
    StageObject lists;                ///< what the stage makes of `tasks`
    StageObject scratch;              ///< of the bytes between it and the one before it, seen from the elements
    std::vector<StageTask> linked{};  ///< its own tasks, if it is a link
  };
  std::size_t most = 0;  ///< scratch has room for so many chunks from the beginning, if there are fewer
  std::vector<StageTask> tasks{};
  std::vector<OfStage> stages{};
};
struct DecodeBuffers : StageBuffers {
  bool apart = false;      ///< encoded bytes are in allocations of their own
  bool ahead = false;      ///< the queue was given nothing that uses this, or what chunks are decoded into
  bool is_placed = false;  ///< elements are placed next, from device memory, and nothing else reads them
  AnyPlacer<space::Device> const* placer = nullptr;  ///< if so, who places them, where it is not placer<space::Device>
};
struct EncodeBuffers : StageBuffers {
  std::vector<StageLink> links{};
};

/// A cast stage: one copy for chunks that follow each other on both sides. If they are `apart`, in separate allocations
/// that are neighbours by chance, one for each. `ahead`: no earlier work of the queue uses the memory that they go to,
/// so the host's bytes need not wait for that work. Throws: CodecError, if bytes do not fit there.
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
