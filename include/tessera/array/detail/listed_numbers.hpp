// Numbers of DevicePoints and of a DeviceMask in memory of another type than the array's.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/converted.hpp>
#include <tessera/array/detail/converting_placer.hpp>
#include <tessera/array/detail/fitting_read.hpp>
#include <tessera/array/detail/listed_elsewhere.hpp>
#include <tessera/array/detail/run_call.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/core/detail/conversion.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/place/detail/convert.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/detail/strided_span.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Elements that `Found` lists, and the memory that they are read into: the Reading of a FittingRead.
template <class Found, class Way, class S, class P>
struct ConvertedList {
  using Space = typename P::array_space;
  using Placer = ConvertingPlacer<Space, Way>;
  AnyArray<S, P> array;
  Found found;
  StridedSpan<Space> to;

  Pending read(AnyConvertingPlacer<Space> const& placer, ReadOptions const& options) const {
    return found.read_converted(array, to, static_cast<Placer const&>(placer), options);
  }
  void find_misfit(AnyConvertingPlacer<Space> const& placer) const {
    Extents const shape{found.count()};
    auto const place = [&](std::uint64_t i) { return place_in(shape, i) + " of the selection"; };
    auto const read = [&](StridedSpan<Space> const& there) { found.read_into(array, there, {}).wait(); };
    expect_fitting_read(array, shape, placer.conversion(), read, place);
  }
};

template <class Program, class T, class Found, class S, class P>
Pending read_numbers_listed(AnyArray<S, P> const& array, Found found, StridedSpan<typename P::array_space> const& to,
                            Conversion const& conversion, ReadOptions const& options) {
  using Way = ToProgram<Program, T>;
  using Reading = ConvertedList<Found, Way, S, P>;
  auto placer = converting_placer<Way>(array, conversion);
  if (!refuses_some(conversion, placer->conversion())) return found.read_converted(array, to, *placer, options);
  return in_work_of(array, "a read with conversion", [&] {
    return Pending{
        std::make_unique<FittingRead<Reading>>(Reading{array, std::move(found), to}, std::move(placer), options)};
  });
}

/// Into new memory. The call waits, unless every number of the array's type fits, or the nearest number is taken.
template <class Program, class T, class Sel, class S, class P>
auto read_new_numbers_listed(AnyArray<S, P> const& array, Sel const& selection, Conversion const& conversion,
                             ReadOptions const& options) {
  using Space = typename P::array_space;
  auto found = found_to_read(array, selection);
  OwnedArray<Program, 1, buffer_in_t<Space>> result{Extents{found.count()}, queue_in<Space>(array.queue())};
  StridedSpan<Space> const to{reinterpret_cast<std::byte*>(result.data()), {sizeof(Program)}};
  auto pending = read_numbers_listed<Program, T>(array, std::move(found), to, conversion, options);
  if (refuses_some_of<ToProgram<Program, T>>(conversion))
    pending.wait();
  else
    pending.detach();
  return result;
}

}}}  // namespace tessera::v0::detail
