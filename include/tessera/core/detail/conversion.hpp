// Conversion between the number type of an array and that of the program.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/missing.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/float16.hpp>

namespace tessera { inline namespace v0 {

/// A number does not fit the type to which it is converted.
struct ConversionError : detail::Located<ConversionError> {
  using Located::Located;
};

/// What happens to a number that does not fit: `refuse` throws, `saturate` takes the nearest number of the type, or 0
/// for NaN.
enum class OutOfRange : std::uint8_t { refuse, saturate };

/// A scale and an offset for each index of one dimension of an array, such as its channels.
struct ScaleByIndex {
  std::size_t dimension = 0;     ///< of the array
  std::vector<double> scale{};   ///< as many as the dimension has indices; empty: 1 for each
  std::vector<double> offset{};  ///< as many; empty: 0 for each

  bool is_given() const { return !scale.empty() || !offset.empty(); }  ///< else the conversion is the same for all
};

/// How numbers of an array map to numbers of the program: `scale * number of the array + offset`, computed in double
/// and rounded once, to nearest, ties to even. With a scale of 1 and an offset of 0 nothing is computed: integers stay
/// exact. A number of the array that is `missing` is NaN in the program, and NaN is written as the first missing
/// number.
struct Conversion {
  double scale = 1, offset = 0;                  ///< `scale * number of the array + offset`
  OutOfRange out_of_range = OutOfRange::refuse;  ///< for a number that does not fit
  MissingNumbers missing{};                      ///< in the array's type, before scaling
  ScaleByIndex by_index{};                       ///< instead of `scale` and `offset`; of read_boxes_as and loader_as
};

/// Integers of 8 to 64 bits, float16, float and double.
template <class T>
concept ConvertibleElement = Element<T> &&
    ((std::is_arithmetic_v<T> && !std::same_as<T, bool>) || std::same_as<T, float16>);

}}  // namespace tessera::v0
