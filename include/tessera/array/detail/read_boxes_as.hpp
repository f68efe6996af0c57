// read_boxes_as_numbers: boxes of an array in memory of another number type.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <tessera/array/any_array.hpp>
#include <tessera/array/detail/box_targets.hpp>
#include <tessera/array/detail/boxes_in_chunks.hpp>
#include <tessera/array/detail/conversion_of_boxes.hpp>
#include <tessera/array/detail/converted.hpp>
#include <tessera/array/detail/converting_placer.hpp>
#include <tessera/array/detail/fitting_read.hpp>
#include <tessera/array/detail/read_boxes.hpp>
#include <tessera/array/detail/orientation.hpp>
#include <tessera/array/owned_array.hpp>
#include <tessera/array/detail/padding.hpp>
#include <tessera/buffer/concept.hpp>
#include <tessera/core/detail/conversion.hpp>
#include <tessera/core/detail/convert.hpp>
#include <tessera/core/detail/any_conversion.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/bytes.hpp>
#include <tessera/memory/pending.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/metadata/detail/node_document.hpp>
#include <tessera/place/detail/convert.hpp>
#include <tessera/transfer/options.hpp>
#include <tessera/view/box.hpp>
#include <tessera/view/detail/strided_span.hpp>
#include <tessera/view/detail/layout.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Boxes of an array with padding, and the memory of another number type that they are read into. Of numbers of any
/// types. The padding's value is one of the array.
template <class S, class P>
struct ConvertedBoxes {
  using Space = typename P::array_space;
  using Value = std::array<std::byte, sizeof(std::uint64_t)>;

  AnyArray<S, P> array;
  std::vector<Box> boxes;
  std::vector<Orientation> orientations;
  Padding padding;
  Value value;
  BoxTargets<Space> to;
  std::vector<StridedSpan<Space>> each;  // that of `to`, which a lease has

  Pending read(AnyConvertingPlacer<Space>& placer, ReadOptions const& options) const {
    auto const kept = array.queue().host().template lease<BoxesInChunks>();
    resolve_boxes(array, {boxes, orientations}, padding, *kept, each.empty());
    auto const there = each.empty() ? to : BoxTargets<Space>{std::span<StridedSpan<Space> const>{each}};
    return read_boxes_into(array, *kept, there, options, {value.data(), placer.conversion().from_size}, &placer);
  }
  void find_misfit(AnyConvertingPlacer<Space> const& placer) const {
    ByteView<space::Host> const bytes{value.data(), placer.conversion().from_size};
    find_misfit_of_boxes(array, {boxes, orientations}, padding, bytes, placer, {});
  }
};

/// Reads boxes again, one after the other, unconverted. Throws: ConversionError naming the first number that does not
/// fit; returns if another writer has replaced it.
template <class S, class P>
void find_misfit_of_boxes(AnyArray<S, P> const& array, BoxList const& boxes, Padding const& padding,
                          ByteView<space::Host> value, AnyConvertingPlacer<typename P::array_space> const& placer,
                          ReadOptions const& options) {
  using Space = typename P::array_space;
  auto const kept = array.queue().host().template lease<BoxesInChunks>();
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    resolve_boxes(array, boxes.only(i), padding, *kept);
    auto const shape = kept->shape_of_all();
    auto const read = [&](StridedSpan<Space> const& to) {
      if constexpr (std::same_as<Space, space::Host>)
        read_boxes_into(array, *kept, to, options, value);
      else
        read_boxes_into(array, *kept, to, options, value).wait();
    };
    auto const size = element_count(shape, "the boxes");
    auto const place = [&](std::uint64_t k) {
      auto all = shape;
      all[0] = boxes.size();
      return place_in_boxes(all, i * size + k);
    };
    with_conversion_of_boxes(placer, *kept, [&](AnyConversion const& conversion) {
      expect_fitting_read(array, shape, conversion, read, place);
    });
  }
}

/// For host memory, and numbers of any types. `resolved`: the boxes.
template <class S, class P>
void read_boxes_by(AnyArray<S, P> const& array, BoxList const& boxes, BoxesInChunks& resolved, Padding const& padding,
                   ByteView<space::Host> value, BoxTargets<space::Host> const& to,
                   AnyConvertingPlacer<space::Host>& placer, bool refuses, ReadOptions const& options) {
  auto const read = [&] { read_boxes_into(array, resolved, to, options, value, &placer); };
  if (!refuses) return read();
  read_fitting(placer, read, [&] { find_misfit_of_boxes(array, boxes, padding, value, placer, unobserved(options)); });
}

/// `resolved`: the boxes. `to`: their memory. Returns a Pending, unless the memory is host memory.
template <class Program, class T, class S, class P>
auto read_boxes_as_numbers(AnyArray<S, P> const& array, BoxList const& boxes, BoxesInChunks& resolved,
                           Padding const& padding, BoxTargets<typename P::array_space> const& to,
                           Conversion const& conversion, ReadOptions const& options) {
  using Way = ToProgram<Program, T>;
  using Reading = ConvertedBoxes<S, P>;
  typename Reading::Value value{};
  if (resolved.has_constant()) {
    PaddingElement<T> const element{array, padding};
    std::copy_n(element.bytes().data, sizeof(T), value.begin());
  }
  ByteView<space::Host> const bytes{value.data(), sizeof(T)};
  if constexpr (std::same_as<typename P::array_space, space::Host>) {
    auto const read = [&](AnyConvertingPlacer<space::Host>& placer) {
      bool const refuses = refuses_some(conversion, placer);
      read_boxes_by(array, boxes, resolved, padding, bytes, to, placer, refuses, options);
    };
    if (conversion.by_index.is_given()) return read(*box_converting_placer<Way>(array, conversion, resolved.shape()));
    ConvertingPlacer<space::Host, Way> placer{way_for<Way>(array, conversion)};  // allocates nothing
    read(placer);
  } else {
    auto placer = box_converting_placer<Way>(array, conversion, resolved.shape());
    if (!refuses_some(conversion, *placer)) return read_boxes_into(array, resolved, to, options, bytes, placer.get());
    auto const given = boxes.boxes();
    auto const turned = boxes.orientations();
    std::vector<StridedSpan<typename Reading::Space>> each{to.each().begin(), to.each().end()};
    Reading reading{array, {given.begin(), given.end()}, {turned.begin(), turned.end()}, padding, value,
                    to,    std::move(each)};
    return Pending{std::make_unique<FittingRead<Reading>>(std::move(reading), std::move(placer), options)};
  }
}

template <class Program, class T, std::size_t Rank, class S, class P, class M>
auto read_given_boxes_as(AnyArray<S, P> const& array, BoxList const& boxes, M& to, Conversion const& conversion,
                         Padding const& padding, ReadOptions const& options) {
  using Space = typename P::array_space;
  auto const read = [&](BoxesInChunks& found, BoxTargets<Space> const& there) {
    return read_boxes_as_numbers<Program, T>(array, boxes, found, padding, there, conversion, options);
  };
  return with_given_boxes<std::remove_const_t<Program>, Rank>(array, boxes, to, padding, read);
}

template <class Program, class T, std::size_t Rank, class S, class P>
auto read_new_boxes_as(AnyArray<S, P> const& array, BoxList const& boxes, Conversion const& conversion,
                       Padding const& padding, ReadOptions const& options) {
  using Space = typename P::array_space;
  auto const kept = array.queue().host().template lease<BoxesInChunks>();
  resolve_boxes(array, boxes, padding, *kept);
  auto const shape = kept->shape_of_all();
  auto result = in_document(array.store(), array.document(), [&] {
    return OwnedArray<Program, Rank + 1, buffer_in_t<Space>>{shape, queue_in<Space>(array.queue())};
  });
  StridedSpan<Space> const to{reinterpret_cast<std::byte*>(result.data()),
                              Layout::c_order(shape, sizeof(Program)).strides};
  if constexpr (std::same_as<Space, space::Host>) {
    read_boxes_as_numbers<Program, T>(array, boxes, *kept, padding, to, conversion, options);
  } else {
    auto pending = read_boxes_as_numbers<Program, T>(array, boxes, *kept, padding, to, conversion, options);
    if (Space::host_accessible || refuses_some_of<ToProgram<Program, T>>(conversion))
      pending.wait();
    else
      pending.detach();
  }
  return result;
}

}}}  // namespace tessera::v0::detail
