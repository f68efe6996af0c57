// BatchPool: the memory of batches, which is used again.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <tessera/array/detail/orientation.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// What a batch has beside its elements. Q: the queue of the loader.
template <class Q>
struct SlotParts {
  using queue_type = Q;
  using Place = decltype(std::declval<queue_type&>().record());

  std::vector<Box> boxes{};
  std::vector<Orientation> orientations{};  ///< of each box; empty: none is turned
  std::uint64_t first = 0;                  ///< boxes in all batches before
  std::exception_ptr error{};               ///< thrown instead of the elements
  Place ready{}, released{};                ///< in the order of the loader's queue; of the queue that used it last
};

/// A batch whose element type is known when the program is compiled. A slot of any other kind has the same members.
template <class T, std::size_t Rank, class B>
struct BatchSlot : SlotParts<queue_for<typename B::space_type>> {
  /// Where the memory of all slots of a loader comes from.
  struct Source {};

  std::optional<OwnedArray<T, Rank + 1, B>> elements{};

  /// Memory for elements of `item_size` bytes, here those of T: the old memory, if it has that shape.
  std::byte* of_shape(Extents const& shape, std::size_t, Source const&, queue_for<typename B::space_type>& on) {
    if (!elements || elements->shape() != shape) {
      elements.reset();  // first, so that both are not held at once
      elements.emplace(shape, on);
    }
    return reinterpret_cast<std::byte*>(elements->data());
  }
};

/// Shared by the loader and its batches, which may outlive it. Thread-safe.
template <class Slot>
class BatchPool {
  using Queue = typename Slot::queue_type;

 public:
  /// `on`: the loader's queue. `most`: slots that are kept for reuse.
  BatchPool(Queue on, std::size_t most) : on_{std::move(on)} { idle_.reserve(most); }
  BatchPool(BatchPool const&) = delete;
  ~BatchPool() {
    for (auto& slot : idle_) await_user(*slot);
  }

  /// A slot, to use in the order of the loader's queue. Throws: DeviceError.
  std::unique_ptr<Slot> take() {
    auto slot = take_idle();
    if (!slot) return std::make_unique<Slot>();
    on_.after(slot->released);
    return slot;
  }

  /// After the work that the queue has so far, the slot is free.
  void give_back(std::unique_ptr<Slot> slot, Queue& used_on) noexcept {
    try {
      slot->released = used_on.record();
    } catch (...) {  // the device failed, and runs nothing any more
    }
    slot->error = {};
    {
      std::lock_guard lock{mutex_};
      if (idle_.size() < idle_.capacity()) return idle_.push_back(std::move(slot));
    }
    await_user(*slot);
  }

 private:
  std::unique_ptr<Slot> take_idle() {
    std::lock_guard lock{mutex_};
    if (idle_.empty()) return nullptr;
    auto slot = std::move(idle_.back());
    idle_.pop_back();
    return slot;
  }
  // Before its memory is freed, in the order of the loader's queue.
  void await_user(Slot& slot) noexcept {
    try {
      on_.after(slot.released);
    } catch (...) {  // as above
    }
  }

  Queue on_;
  std::mutex mutex_{};
  std::vector<std::unique_ptr<Slot>> idle_{};
};

}}}  // namespace tessera::v0::detail
