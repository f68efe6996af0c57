// converting_placer: the placer that converts the numbers of an array.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <tessera/array/any_array.hpp>
#include <tessera/core/detail/conversion.hpp>
#include <tessera/core/detail/convert.hpp>
#include <tessera/core/detail/any_conversion.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/place/detail/convert.hpp>
#include <tessera/place/detail/placer_by_index.hpp>
#include <tessera/store/concept.hpp>

namespace tessera { inline namespace v0 { namespace detail {

/// Of an array of T into numbers of the program, or back.
template <class Program, class T, class P>
consteval bool check_conversion() {
  constexpr bool are_numbers = ConvertibleElement<Program> && ConvertibleElement<T>;
  static_assert(are_numbers,
                "tessera: read_as, write_as, read_boxes_as and loader_as convert integers, float16, float and double");
  if constexpr (are_numbers) {
    constexpr bool converts = requires { sizeof(ConvertingPlacer<typename P::array_space, ToProgram<Program, T>>); };
    static_assert(converts, "tessera: converting numbers in this memory space needs <tessera/array/convert.cuh>");
    return converts;
  } else {
    return false;
  }
}

/// Errors of f() name the array.
template <class S, class P, class F>
decltype(auto) converting(AnyArray<S, P> const& array, F&& f) try {
  return f();
} catch (ConversionError& error) {
  error.in_key(array.path()).in_store(name_of(array.store()));
  throw;
}

/// Errors name the array.
template <class Way, class S, class P>
Way way_for(AnyArray<S, P> const& array, Conversion const& conversion) {
  return converting(array, [&] { return way_of<Way>(conversion); });
}

/// Errors name the array.
template <class Way, class S, class P>
auto converting_placer(AnyArray<S, P> const& array, Conversion const& conversion) {
  return std::make_unique<ConvertingPlacer<typename P::array_space, Way>>(way_for<Way>(array, conversion));
}

/// The same, also with scales of single indices.
template <class Way, class S, class P>
auto box_converting_placer(AnyArray<S, P> const& array, Conversion const& conversion, Extents const& shape) {
  using Space = typename P::array_space;
  using One = std::unique_ptr<AnyConvertingPlacer<Space>>;
  if (!conversion.by_index.is_given()) return One{converting_placer<Way>(array, conversion)};
  converting(array, [&] { expect_scales_for(conversion.by_index, shape); });
  auto const dimension = conversion.by_index.dimension;
  std::vector<One> each;
  for (std::size_t i = 0; i < shape[dimension]; ++i)
    each.push_back(converting_placer<Way>(array, conversion_of(conversion, i)));
  if (each.empty()) each.push_back(converting_placer<Way>(array, Conversion{}));  // for no number
  return One{std::make_unique<PlacerByIndex<Space>>(dimension, std::move(each))};
}

/// Whether a number may be refused.
template <MemorySpace S>
bool refuses_some(Conversion const& conversion, AnyConvertingPlacer<S> const& by) {
  return conversion.out_of_range == OutOfRange::refuse && !by.fits_always();
}
inline bool refuses_some(Conversion const& conversion, AnyConversion const& of) {
  return conversion.out_of_range == OutOfRange::refuse && !of.fits_always;
}
/// The same, of any index.
template <class Way>
bool refuses_some_of(Conversion const& conversion) {
  auto const& [dimension, scale, offset] = conversion.by_index;
  if (!conversion.by_index.is_given()) return refuses_some(conversion, ConversionOf{way_of<Way>(conversion)});
  for (std::size_t i = 0; i < std::max(scale.size(), offset.size()); ++i)
    if (refuses_some(conversion, ConversionOf{way_of<Way>(conversion_of(conversion, i))})) return true;
  return false;
}

}}}  // namespace tessera::v0::detail
