// The places of a cache's memory that are free: slots of one size, in slabs that were allocated at once. It knows their
// numbers alone, and no memory.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

struct Slot {
  std::uint32_t slab = 0, number = 0;  ///< the slot's number counts from 0 in each slab
  friend auto operator<=>(Slot const&, Slot const&) = default;
  /// One copy takes both.
  bool is_followed_by(Slot const& next) const { return slab == next.slab && number + 1 == next.number; }
};

class Slots {
 public:
  std::size_t free() const { return free_.size(); }
  std::size_t size() const { return size_; }  ///< free and taken
  std::size_t size(std::uint32_t slab) const { return slabs_[slab].size; }
  std::size_t taken(std::uint32_t slab) const { return slabs_[slab].size - slabs_[slab].free; }
  std::uint32_t slabs() const { return static_cast<std::uint32_t>(slabs_.size()); }  ///< also those that are gone

  /// Returns its number. Throws: std::bad_alloc; then there is none.
  std::uint32_t add_slab(std::size_t slots) {
    auto const slab = slabs();
    std::set<Slot> added;
    for (std::uint32_t i = 0; i < slots; ++i) added.insert(added.end(), {slab, i});
    slabs_.push_back({slots, slots});
    size_ += slots;
    free_.merge(added);
    return slab;
  }
  /// Requires: none of its slots is taken.
  void remove_slab(std::uint32_t slab) {
    for (std::uint32_t i = 0; i < slabs_[slab].size; ++i) free_.erase({slab, i});
    size_ -= slabs_[slab].size;
    slabs_[slab] = {};
  }

  /// The first ones, so that those that are taken together follow each other. Requires: there are so many.
  std::vector<Slot> take(std::size_t count) {
    std::vector<Slot> taken(free_.begin(), std::next(free_.begin(), static_cast<std::ptrdiff_t>(count)));
    for (auto const& slot : taken) {
      taken_.insert(free_.extract(slot));
      --slabs_[slot.slab].free;
    }
    return taken;
  }
  void give_back(Slot slot) noexcept {
    if (auto node = taken_.extract(slot)) {
      free_.insert(std::move(node));
      ++slabs_[slot.slab].free;
    }
  }

 private:
  struct Slab {
    std::size_t size = 0, free = 0;
  };
  std::vector<Slab> slabs_;
  std::set<Slot> free_, taken_;  // entries go from one to the other: giving back neither allocates nor throws
  std::size_t size_ = 0;
};

}}}  // namespace tessera::v0::detail
