// converting_placer: the placer that converts the numbers of an array.
#pragma once
#include <memory>

#include <tessera/array/any_array.hpp>
#include <tessera/core/convert.hpp>
#include <tessera/core/detail/any_conversion.hpp>
#include <tessera/place/detail/convert.hpp>
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

/// Errors name the array.
template <class Way, class S, class P>
Way way_for(AnyArray<S, P> const& array, Conversion const& conversion) try {
  return way_of<Way>(conversion);
} catch (ConversionError& error) {
  error.in_key(array.path()).in_store(name_of(array.store()));
  throw;
}

/// Errors name the array.
template <class Way, class S, class P>
auto converting_placer(AnyArray<S, P> const& array, Conversion const& conversion) {
  return std::make_unique<ConvertingPlacer<typename P::array_space, Way>>(way_for<Way>(array, conversion));
}

/// Whether a number may be refused.
inline bool refuses_some(Conversion const& conversion, AnyConversion const& of) {
  return conversion.out_of_range == OutOfRange::refuse && !of.fits_always;
}

}}}  // namespace tessera::v0::detail
