// ConversionOfBoxes: the conversion of each number of some boxes, where indices have conversions of their own.
#pragma once
#include <cstddef>
#include <string>

#include <tessera/array/detail/boxes_in_chunks.hpp>
#include <tessera/core/detail/any_conversion.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/convert.hpp>
#include <tessera/place/detail/placer_by_index.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// To find a number that does not fit. Numbers are those of all boxes, which have one shape in memory, in C order.
template <MemorySpace S>
class ConversionOfBoxes final : public AnyConversion {
 public:
  ConversionOfBoxes(PlacerByIndex<S> const& placer, BoxesInChunks const& boxes)
      : AnyConversion{placer.conversion().from_size, placer.conversion().to_size, placer.conversion().swaps_first,
                      placer.fits_always(), nullptr},
        placer_{placer},
        boxes_{boxes} {}

  std::size_t first_misfit(std::byte const* numbers, std::size_t count) const override {
    for (std::size_t i = 0; i < count; ++i) {
      found_ = &of(i);
      if (found_->first_misfit(numbers + i * from_size, 1) == 0) return i;
    }
    return count;
  }
  ConversionError misfit(std::byte const* number, std::string const& place) const override {
    return found_->misfit(number, place);
  }

 private:
  AnyConversion const& of(std::size_t number) const {
    auto const all = boxes_.shape_of_all();
    auto at = all;
    for (auto d = all.rank(); d-- > 0; number /= all[d]) at[d] = number % all[d];
    auto const box = static_cast<std::size_t>(at[0]), d = placer_.dimension();
    return placer_.of(boxes_.element_along(box, d, at[1 + boxes_.turns().in_memory(box, d)])).conversion();
  }

  PlacerByIndex<S> const& placer_;
  BoxesInChunks const& boxes_;
  AnyConversion const mutable* found_ = nullptr;
};

/// Returns f(conversion): of numbers of these boxes.
template <MemorySpace S, class F>
void with_conversion_of_boxes(AnyConvertingPlacer<S> const& placer, BoxesInChunks const& boxes, F&& f) {
  if (auto const* const by_index = placer.by_index())
    f(ConversionOfBoxes<S>{*by_index, boxes});
  else
    f(placer.conversion());
}

}}}  // namespace tessera::v0::detail
