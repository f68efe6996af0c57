#pragma once
#include <tessera/cache/detail/slots.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 { namespace detail {

TESSERA_DECL std::uint32_t Slots::add_slab(std::size_t slots) {
  auto const slab = slabs();
  std::set<Slot> added;
  for (std::uint32_t i = 0; i < slots; ++i) added.insert(added.end(), {slab, i});
  slabs_.push_back({slots, slots});
  size_ += slots;
  free_.merge(added);
  return slab;
}

TESSERA_DECL void Slots::remove_slab(std::uint32_t slab) {
  for (std::uint32_t i = 0; i < slabs_[slab].size; ++i) free_.erase({slab, i});
  size_ -= slabs_[slab].size;
  slabs_[slab] = {};
}

TESSERA_DECL std::vector<Slot> Slots::take(std::size_t count) {
  std::vector<Slot> taken(free_.begin(), std::next(free_.begin(), static_cast<std::ptrdiff_t>(count)));
  for (auto const& slot : taken) {
    taken_.insert(free_.extract(slot));
    --slabs_[slot.slab].free;
  }
  return taken;
}

TESSERA_DECL void Slots::give_back(Slot slot) noexcept {
  if (auto node = taken_.extract(slot)) {
    free_.insert(std::move(node));
    ++slabs_[slot.slab].free;
  }
}

}}}  // namespace tessera::v0::detail
