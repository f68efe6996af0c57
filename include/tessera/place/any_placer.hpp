// Who moves elements otherwise than all others do: of a type that is not known where it is called.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/dimensions.hpp>
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

/// Such a placer, and the size of an element where it places them: what reads and writes chunks is compiled once for
/// all of them.
template <MemorySpace S>
struct PlacerView {
  std::size_t item_size;
  AnyPlacer<S> const* placer;

  std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form, queue_for<S>& on) const {
    return placer->place(batch, form, on);
  }
  std::uint64_t place_listed(ListedBatch<S> const& batch, PlacementForm const& form, queue_for<S>& on) const {
    return placer->place_listed(batch, form, on);
  }
};
/// A StridedSpan and a StridedView with such elements.
template <MemorySpace S>
struct PlacedSpan {
  std::byte* data;
  Strides strides;
  PlacerView<S> placer;
};
template <MemorySpace S>
struct PlacedView {
  std::byte const* data;
  Strides strides;
  PlacerView<S> placer;
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
