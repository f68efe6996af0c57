// PlacerByIndex: a ConvertingPlacer for each index of a dimension, such as one for each channel.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <tessera/core/detail/any_conversion.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/queue.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/convert.hpp>
#include <tessera/place/detail/listed.hpp>
#include <tessera/place/detail/placement.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Places nothing itself: who has parts of an array places them by the placer of their index.
template <MemorySpace S>
class PlacerByIndex final : public AnyConvertingPlacer<S> {
 public:
  using One = std::unique_ptr<AnyConvertingPlacer<S>>;

  /// `dimension`: of the array. Requires: there is a placer, and all have the same types.
  PlacerByIndex(std::size_t dimension, std::vector<One> each) : dimension_{dimension}, each_{std::move(each)} {}

  std::size_t dimension() const { return dimension_; }
  std::size_t size() const { return each_.size(); }
  AnyConvertingPlacer<S> const& of(std::uint64_t index) const { return *each_[static_cast<std::size_t>(index)]; }

  /// The types are those of all.
  AnyConversion const& conversion() const override { return each_.front()->conversion(); }
  bool fits_always() const override {
    return std::ranges::all_of(each_, [](One const& one) { return one->fits_always(); });
  }
  void record(Misfits to) override {
    for (auto const& one : each_) one->record(to);
  }
  PlacerByIndex const* by_index() const override { return this; }
  /// That of the array: each placer has its own.
  ByteView<space::Host> placed_fill(ByteView<space::Host> of_array) const override {
    for (auto const& one : each_) (void)one->placed_fill(of_array);
    return of_array;
  }

  /// Never called, as said above.
  std::uint64_t place(std::span<Placement<S> const>, PlacementForm const&, queue_for<S>&) const override { return 0; }
  std::uint64_t place_listed(ListedBatch<S> const&, PlacementForm const&, queue_for<S>&) const override { return 0; }

 private:
  std::size_t const dimension_;
  std::vector<One> const each_;
};

}}}  // namespace tessera::v0::detail
