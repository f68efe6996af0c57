// AnyPlacer: a placer of a type chosen at run time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include <tessera/core/dimensions.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/placement.hpp>

namespace tessera { inline namespace v0 {
namespace detail {

template <MemorySpace S>
class PlacerByIndex;

/// As placer<S>, but elements are converted on the way, or their bytes are not where the placements say.
template <MemorySpace S>
struct AnyPlacer {
  virtual std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form,
                              queue_for<S>& on) const = 0;
  virtual std::uint64_t place_listed(ListedBatch<S> const& batch, PlacementForm const& form,
                                     queue_for<S>& on) const = 0;
  /// Converts an array's fill value to the one that placements use. Valid as long as this.
  virtual ByteView<space::Host> placed_fill(ByteView<space::Host> of_array) const { return of_array; }
  /// The bytes of an element where it is placed.
  virtual std::size_t placed_size(std::size_t of_array) const { return of_array; }
  /// Where the elements of a placement may be decoded, without gaps and in the order of `strides`: memory to which the
  /// placer would only copy them. It is given them there. Null: there is none. `to`, `count`: of the placement.
  virtual std::byte* direct(std::byte* /*to*/, Extents const& /*count*/, Strides const& /*strides*/) const {
    return nullptr;
  }
  /// The placers of single indices of a dimension; null: this is for all.
  virtual PlacerByIndex<S> const* by_index() const { return nullptr; }

 protected:
  ~AnyPlacer() = default;
};

/// The custom placer if one is set, otherwise placer<S>.
template <MemorySpace S>
struct PlacerOrUsual {
  AnyPlacer<S> const* other = nullptr;

  std::uint64_t place(std::span<Placement<S> const> batch, PlacementForm const& form, queue_for<S>& on) const {
    return other ? other->place(batch, form, on) : placer<S>::place(batch, form, on);
  }
  ByteView<space::Host> placed_fill(ByteView<space::Host> of_array) const {
    return other ? other->placed_fill(of_array) : of_array;
  }
  std::size_t placed_size(std::size_t of_array) const { return other ? other->placed_size(of_array) : of_array; }
};

}  // namespace detail
}}  // namespace tessera::v0
