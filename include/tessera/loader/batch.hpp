// LoadedBatch: boxes that a Loader read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/loader/detail/batch_pool.hpp>
#include <tessera/view/array_view.hpp>
#include <tessera/view/box.hpp>

namespace tessera { inline namespace v0 {

/// The elements of some boxes, and the boxes. Use the elements in the order of the queue that `Loader::next` was given;
/// if the host can touch them, they are there. Move-only. The destructor gives the memory back to the loader, for a
/// batch that it reads after the work that this queue has by then; the host does not wait. May outlive the loader.
/// Requires: a batch that was moved from is only destroyed or assigned to, because it has no elements.
template <class T, std::size_t Rank, AllocatableBuffer B>
class LoadedBatch {
  using Slot = detail::BatchSlot<T, Rank, B>;
  using Pool = detail::BatchPool<Slot>;
  using Queue = typename Slot::queue_type;

 public:
  using array_type = OwnedArray<T, Rank + 1, B>;

  /// For Loader.
  LoadedBatch(std::unique_ptr<Slot> slot, std::shared_ptr<Pool> pool, Queue on)
      : slot_{std::move(slot)}, pool_{std::move(pool)}, on_{std::move(on)} {}
  LoadedBatch(LoadedBatch&&) = default;
  LoadedBatch& operator=(LoadedBatch&& other) noexcept {
    std::swap(slot_, other.slot_), std::swap(pool_, other.pool_), std::swap(on_, other.on_);
    return *this;
  }
  ~LoadedBatch() {
    if (slot_) pool_->give_back(std::move(slot_), on_);
  }

  /// The elements, of the shape [boxes, box...]. You may change them.
  array_type& array() & { return *slot_->elements; }
  array_type const& array() const& { return *slot_->elements; }
  array_type const& array() const&& = delete;  // would dangle
  auto view() & { return array().view(); }     ///< that of the elements
  auto view() const& { return array().view(); }
  Extents const& shape() const& { return array().shape(); }  ///< that of the elements

  std::span<Box const> boxes() const& { return slot_->boxes; }  ///< in the order of the elements' first dimension
  std::uint64_t first() const { return slot_->first; }          ///< boxes in all batches before this one

 private:
  std::unique_ptr<Slot> slot_;
  std::shared_ptr<Pool> pool_;
  Queue on_;
};

}}  // namespace tessera::v0
