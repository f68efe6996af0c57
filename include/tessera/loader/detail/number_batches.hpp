// NumberBatches: the batches of a loader, in numbers of another type than the array's.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/conversion_of_boxes.hpp>
#include <tessera/array/detail/converted.hpp>
#include <tessera/array/detail/fitting_read.hpp>
#include <tessera/array/detail/read_boxes_as.hpp>
#include <tessera/core/error.hpp>
#include <tessera/loader/detail/batch_converter.hpp>
#include <tessera/loader/detail/batch_reader.hpp>
#include <tessera/loader/detail/planned_batch.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/convert.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Of numbers of any types.
template <class S, class P>
class NumberBatches final : public BatchConverter<S, P> {
  using Space = typename P::array_space;
  using Reader = BatchReader<S, P>;
  using Placer = std::unique_ptr<AnyConvertingPlacer<Space>>;

 public:
  /// `array`: the loader's, on its queue. `refuses`: some numbers may not fit, and are refused.
  NumberBatches(AnyArray<S, P> const& array, Placer placer, bool refuses) : placer_{std::move(placer)} {
    if (!refuses) return;
    misfit_.emplace(array.queue());
    misfit_->watch(*placer_);
  }

  std::size_t item_size() const override { return placer_->conversion().to_size; }

  std::size_t read(Reader& reader, PlannedBatch& batch, typename Reader::Later later,
                   typename Reader::Targets const& to, ReadOptions const& options) override {
    if (!misfit_) return reader.read(batch, later, to, options, placer_.get());
    for (std::optional<std::size_t> hits;;) {
      misfit_->reset();
      auto const found = reader.read(batch, later, to, hits ? unobserved(options) : options, placer_.get());
      if (!hits) hits = found;
      if constexpr (!std::same_as<Space, space::Host>) reader.queue().wait();
      if (!misfit_->is_set()) return *hits;
      if (batch.is_several) throw ConversionError{"a number of one of these batches does not fit"};
      find_misfit(reader, batch, later, unobserved(options));
    }
  }

 private:
  // Of the chunks that are kept, also if another writer has replaced them. Returns if it was in one that was not kept,
  // and was replaced.
  void find_misfit(Reader& reader, PlannedBatch& batch, typename Reader::Later later, ReadOptions const& options) {
    auto const shape = batch.chunks.shape_of_all();
    auto const read = [&](StridedSpan<Space> const& to) { reader.read(batch, later, to, options); };
    auto const place = [&](std::uint64_t i) { return place_in_boxes(shape, i); };
    with_conversion_of_boxes(*placer_, batch.chunks, [&](AnyConversion const& conversion) {
      expect_fitting_read(reader.array(), shape, conversion, read, place);
    });
  }

  Placer placer_;
  std::optional<MisfitFlag<Space>> misfit_{};
};

}}}  // namespace tessera::v0::detail
