// Slots: numbers of the free and taken slots of a cache's memory. Slots have one size; a slab of them is allocated at
// once.
#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace tessera { inline namespace v0 { namespace detail {

struct Slot {
  std::uint32_t slab = 0, number = 0;  ///< number: counts from 0 in each slab
  friend auto operator<=>(Slot const&, Slot const&) = default;
  /// One copy can move both.
  bool is_followed_by(Slot const& next) const { return slab == next.slab && number + 1 == next.number; }
};

class Slots {
 public:
  std::size_t free() const { return free_.size(); }
  std::size_t size() const { return size_; }  ///< free and taken
  std::size_t size(std::uint32_t slab) const { return slabs_[slab].size; }
  std::size_t taken(std::uint32_t slab) const { return slabs_[slab].size - slabs_[slab].free; }
  std::uint32_t slabs() const { return static_cast<std::uint32_t>(slabs_.size()); }  ///< including removed ones

  /// Returns the slab's number. Throws: std::bad_alloc; then nothing is added.
  std::uint32_t add_slab(std::size_t slots);
  /// Requires: no slot of it is taken.
  void remove_slab(std::uint32_t slab);

  /// Takes the first free slots, so that slots taken together are neighbours. Requires: count <= free().
  std::vector<Slot> take(std::size_t count);
  void give_back(Slot slot) noexcept;

 private:
  struct Slab {
    std::size_t size = 0, free = 0;
  };
  std::vector<Slab> slabs_;
  std::set<Slot> free_, taken_;  // nodes move between the sets: giving back neither allocates nor throws
  std::size_t size_ = 0;
};

}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/cache/detail/slots.ipp>
#endif
