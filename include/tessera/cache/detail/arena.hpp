// Arena: a cache's memory in one space, as slabs of slots that together stay within the budget.
#pragma once
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cache/detail/slots.hpp>
#include <tessera/memory/queue.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Slots are taken and given back in the order of one queue.
template <MemorySpace S>
class Arena {
 public:
  /// Bytes of a slab, unless one slot needs more: a held chunk keeps no more than this from being freed, and longer
  /// copies are no faster.
  static constexpr std::uint64_t most_slab = 8 << 20;

  /// `budget`: most bytes of all slabs together; `slot`: bytes of each slot.
  Arena(std::uint64_t budget, std::size_t slot) : budget_{budget}, slot_{slot} {}

  std::uint64_t budget() const { return budget_; }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }  ///< of all slabs; thread-safe
  std::size_t slot_bytes() const { return slot_; }
  Slots const& slots() const { return slots_; }
  std::byte* data(Slot slot) { return slabs_[slot.slab].span().data + slot.number * slot_; }

  /// Existing slots, free and taken, plus those that the budget leaves room for.
  std::size_t capacity() const { return slots_.size() + growable(); }
  /// Adds `least` slots, or as many as exist already where the budget allows more, in slabs of at most `most_slab`
  /// bytes. Returns false, if the budget does not allow `least`. Throws: DeviceError, Error, if memory is refused;
  /// slabs added before stay.
  bool grow(std::size_t least, queue_for<S>& on) {
    if (least > growable()) return false;
    auto const end = slots_.size() + least;
    while (slots_.size() < end && growable() > 0) {
      auto const lacking = std::min({end - slots_.size(), most_slots(), growable()});
      auto const wanted = filled(std::clamp(std::min(slots_.size(), most_slots()), lacking, growable()));
      try {
        add_slab(wanted, on);
      } catch (Error const&) {
        if (wanted == lacking) throw;
        add_slab(filled(lacking), on);
      }
    }
    return slots_.size() >= end;
  }

  std::vector<Slot> take(std::size_t count) { return slots_.take(count); }
  void give_back(Slot slot) noexcept { slots_.give_back(slot); }
  /// Frees a slab's memory, in the order of its queue. Requires: no slot of it is taken.
  void remove_slab(std::uint32_t slab) {
    bytes_ -= slab_bytes(slots_.size(slab));
    slots_.remove_slab(slab);
    slabs_[slab] = {};
  }

 private:
  // Page-locked memory is allocated in such steps (memory/detail/blocks.cuh).
  static constexpr std::uint64_t step = std::same_as<S, space::Pinned> ? std::uint64_t{64} << 10 : 1;
  std::uint64_t slab_bytes(std::uint64_t slots) const { return (slots * slot_ + step - 1) / step * step; }
  std::size_t most_slots() const { return static_cast<std::size_t>(std::max<std::uint64_t>(most_slab / slot_, 1)); }
  // Adds the slots that fit into the same memory.
  std::size_t filled(std::size_t slots) const { return static_cast<std::size_t>(slab_bytes(slots) / slot_); }
  std::size_t growable() const {
    auto const left = (budget_ - bytes()) / step * step;
    return static_cast<std::size_t>(std::min<std::uint64_t>(left / slot_, ~std::uint32_t{0}));
  }

  void add_slab(std::size_t slots, queue_for<S>& on) {
    buffer_in_t<S> slab(slots * slot_, on);
    slabs_.reserve(slabs_.size() + 1);
    slots_.add_slab(slots);
    slabs_.push_back(std::move(slab));
    bytes_ += slab_bytes(slots);
  }

  std::uint64_t const budget_;
  std::atomic<std::uint64_t> bytes_ = 0;
  std::size_t const slot_;
  Slots slots_;
  std::vector<buffer_in_t<S>> slabs_;
};

}}}  // namespace tessera::v0::detail
