// read_as, write_as and append_as for arrays in device memory.
#pragma once
#include <cstddef>
#include <span>
#include <utility>

#include <tessera/array/convert.hpp>
#include <tessera/buffer/device_buffer.cuh>
#include <tessera/cast/detail/host_device.cuh>
#include <tessera/place/detail/convert.cuh>

namespace tessera { inline namespace v0 { namespace detail {

/// As for host memory, but one kernel checks the numbers, and the call waits for it.
template <class Way, class S, class P>
void expect_given_fits(AnyArray<S, P> const& array, ResolvedSelection const& what,
                       StridedView<space::Device> const& from, ConvertingPlacer<space::Device, Way> const& placing,
                       Queue<space::Device>& on) {
  auto const& conversion = placing.conversion();
  PinnedBuffer flag(1, on);
  *flag.span().data = std::byte{0};
  Placement<space::Device> all_of_it{from.data, const_cast<std::byte*>(from.data), what.shape};  // not written to
  ConvertingPlacer<space::Device, Way> looking{placing.way(), true};
  looking.misfits.on_device = flag.span().data;
  looking.place({&all_of_it, 1}, {1, 1, {}, from.strides, from.strides}, on);
  on.wait();
  if (*flag.span().data == std::byte{0}) return;
  auto const size = conversion.from_size;
  auto const dense = Layout::c_order(what.shape, size);
  auto const count = checked_size(element_count(what.shape, "the selection"), "the selection");
  DeviceBuffer there(checked_size(checked_product(count, size, "the selection"), "the selection"), on);
  all_of_it.to = there.span().data;
  placer<space::Device>::place({&all_of_it, 1}, {size, 1, {}, from.strides, dense.strides}, on);
  auto const here = copy_to<HostBuffer>(std::move(there), on);
  expect_fitting(array, what.shape, 0, here.view().data, count, conversion);
}
}}}  // namespace tessera::v0::detail
