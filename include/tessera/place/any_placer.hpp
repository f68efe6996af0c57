// Who moves elements otherwise than all others do: of a type that is not known where it is called.
#pragma once
#include <cstdint>
#include <span>

#include <tessera/memory/queue.hpp>
#include <tessera/place/listed.hpp>
#include <tessera/place/placement.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

/// As placer<S>: but elements become others on the way, or their bytes do not lie where placements say.
template <MemorySpace S>
struct AnyPlacer {
  virtual std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form,
                              queue_for<S>& on) const = 0;
  virtual std::uint64_t place_listed(ListedBatch<S> const& batch, PlacementForm const& form,
                                     queue_for<S>& on) const = 0;

 protected:
  ~AnyPlacer() = default;
};

/// That one, or if there is none placer<S>.
template <MemorySpace S>
struct PlacerOrUsual {
  AnyPlacer<S> const* other = nullptr;

  std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form, queue_for<S>& on) const {
    return other ? other->place(batch, form, on) : placer<S>::place(batch, form, on);
  }
  std::uint64_t place_listed(ListedBatch<S> const& batch, PlacementForm const& form, queue_for<S>& on) const {
    return other ? other->place_listed(batch, form, on) : placer<S>::place_listed(batch, form, on);
  }
};

}  // namespace detail
}}  // namespace tessera::v0
