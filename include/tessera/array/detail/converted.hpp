// read_converted, and checks of numbers of another type than an array's: each number is converted when it is placed.
#pragma once
#include <algorithm>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/any_array.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/buffer/host_buffer.hpp>
#include <tessera/cast/cast.hpp>
#include <tessera/core/config.hpp>
#include <tessera/core/detail/any_conversion.hpp>
#include <tessera/core/detail/function_ref.hpp>
#include <tessera/place/detail/convert.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// As AnyArray::read, but converts each number when it is placed.
template <class S, class P>
auto read_converted(AnyArray<S, P> const& array, ResolvedSelection const& what,
                    StridedSpan<typename P::array_space> const& to,
                    AnyConvertingPlacer<typename P::array_space>& placer, ReadOptions const& options) {
  StridedSpan<typename P::array_space> const there{to.data, to.strides, &placer, placer.conversion().to_size};
  return array.read_into(what, there, options);
}

// Calls f(part, index of its first element) for the parts of a selection in the order of the memory: of a box, rows of
// whole chunks, about 16 MiB each.
TESSERA_DECL void for_each_part_of(ResolvedSelection const& what, Extents const& chunk, std::size_t item_size,
                             FunctionRef<void(ResolvedSelection const&, std::uint64_t)> f);

// "[3, 4]", of the i-th element of a shape.
TESSERA_DECL std::string place_in(Extents const& shape, std::uint64_t i);
// "[3, 4] of box 5", of the i-th element of boxes of the shape [boxes, box...].
TESSERA_DECL std::string place_in_boxes(Extents const& shape, std::uint64_t i);

/// Checks numbers. `place(i)`: which element the i-th one is. Throws: ConversionError naming the first that does not
/// fit.
template <class S, class P>
void expect_fitting(AnyArray<S, P> const& array, std::byte const* numbers, std::size_t count,
                    AnyConversion const& conversion, FunctionRef<std::string(std::uint64_t)> place) {
  if (auto const i = conversion.first_misfit(numbers, count); i < count)
    throw conversion.misfit(numbers + i * conversion.from_size, place(i))
        .in_key(array.path())
        .in_store(name_of(array.store()));
}
/// Those of a selection of that shape, from element `first` on.
template <class S, class P>
void expect_fitting(AnyArray<S, P> const& array, Extents const& shape, std::uint64_t first, std::byte const* numbers,
                    std::size_t count, AnyConversion const& conversion) {
  auto const place = [&](std::uint64_t i) { return place_in(shape, first + i) + " of the selection"; };
  expect_fitting(array, numbers, count, conversion, place);
}

/// Checks numbers of the array. `read(to)`: reads all numbers of that shape, unconverted. As above.
template <class S, class P, class Read>
void expect_fitting_read(AnyArray<S, P> const& array, Extents const& shape, AnyConversion const& conversion,
                         Read const& read, FunctionRef<std::string(std::uint64_t)> place) {
  using Space = typename P::array_space;
  auto& on = array.queue();
  auto const item = conversion.from_size;
  auto const count = checked_size(element_count(shape, "the selection"), "the selection");
  buffer_in_t<Space> there(checked_size(checked_product(count, item, "the selection"), "the selection"),
                           queue_in<Space>(on));
  read(StridedSpan<Space>{there.span().data, Layout::c_order(shape, item).strides});
  auto const here = copy_to<HostBuffer>(std::move(there), queue_between<space::Host, Space>(on));
  on.wait();
  expect_fitting(array, here.view().data, count, conversion, place);
}

/// For a second read of a selection, which is not counted again.
TESSERA_DECL ReadOptions unobserved(ReadOptions options);

/// Reads a selection again, unconverted, and waits. Throws: ConversionError naming the first number that does not fit;
/// returns if another writer has replaced it.
template <class S, class P>
void find_misfit(AnyArray<S, P> const& array, ResolvedSelection const& what, AnyConversion const& conversion,
                 ReadOptions const& options) {
  using Space = typename P::array_space;
  auto const item = conversion.from_size;
  for_each_part_of(what, array.chunk_shape(), item, [&](ResolvedSelection const& part, std::uint64_t first) {
    auto const read = [&](StridedSpan<Space> const& to) {
      if constexpr (std::same_as<Space, space::Host>)
        array.read(part, to, options);
      else
        array.read(part, to, options).wait();
    };
    auto const place = [&](std::uint64_t i) { return place_in(what.shape, first + i) + " of the selection"; };
    expect_fitting_read(array, part.shape, conversion, read, place);
  });
}

/// Checks numbers in host memory before they are written. Throws: ConversionError naming the first that does not fit.
template <class S, class P>
void expect_given_fits(AnyArray<S, P> const& array, ResolvedSelection const& what, StridedView<space::Host> const& from,
                       AnyConversion const& conversion, Queue<space::Host>& on) {
  auto const item = conversion.from_size;
  std::vector<std::byte> gathered;
  for_each_part_of(what, array.chunk_shape(), item, [&](ResolvedSelection const& part, std::uint64_t first) {
    auto const count = element_count(part.shape, "the selection");
    auto const* begin = from.data;
    if (first > 0) begin += static_cast<std::int64_t>(first / (count / part.shape[0])) * from.strides[0];
    auto const dense = Layout::c_order(part.shape, item).strides;
    if (dense != from.strides) {
      gathered.resize(checked_size(checked_product(count, item, "the selection"), "the selection"));
      Placement<space::Host> const all_of_it{begin, gathered.data(), part.shape};
      placer<space::Host>::place({&all_of_it, 1}, {item, 1, {}, from.strides, dense}, on);
      begin = gathered.data();
    }
    constexpr std::uint64_t usual = 64 << 10, block = 256;
    std::atomic<bool> fits{true};
    on.for_each(static_cast<std::size_t>((count + usual - 1) / usual), [&](std::size_t i) {
      alignas(std::uint64_t) std::byte made[block * sizeof(std::uint64_t)];
      auto const end = std::min(count, (i + 1) * usual);
      for (auto k = i * usual; k < end; k += block)
        if (!conversion.convert(made, begin + k * item, std::min(block, end - k)))
          fits.store(false, std::memory_order_relaxed);
    });
    if (!fits) expect_fitting(array, what.shape, first, begin, static_cast<std::size_t>(count), conversion);
  });
}

/// Checks numbers in any memory that the host can touch; if the device can touch it too, waits for the queue first. As
/// above.
template <class S, class P, MemorySpace Space>
requires(Space::host_accessible) void expect_given_fits(AnyArray<S, P> const& array, ResolvedSelection const& what,
                                                        StridedView<Space> const& from,
                                                        AnyConvertingPlacer<Space> const& placer,
                                                        queue_for<Space>& on) {
  StridedView<space::Host> const here{from.data, from.strides};
  if constexpr (std::same_as<Space, space::Host>) {
    expect_given_fits(array, what, here, placer.conversion(), on);
  } else {
    on.wait();
    expect_given_fits(array, what, here, placer.conversion(), on.host());
  }
}
}}}  // namespace tessera::v0::detail

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/converted.ipp>
#endif
