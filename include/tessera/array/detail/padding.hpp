// Padding: elements around an array, for read_boxes and Loader.
#pragma once
#include <any>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/data_type.hpp>
#include <tessera/core/detail/convert.hpp>
#include <tessera/core/detail/fitting.hpp>
#include <tessera/core/detail/number_as.hpp>
#include <tessera/core/dimensions.hpp>
#include <tessera/core/error.hpp>
#include <tessera/core/float16.hpp>

namespace tessera { inline namespace v0 {

/// What elements around an array are, as in numpy.pad.
enum class PaddingMode {
  constant,  ///< one value
  edge,      ///< the nearest element of the array: "replicate" in PyTorch
  reflect    ///< the array mirrored at its first and last elements, which are not repeated: c b | a b c | b a
};

/// An element, or a number that is converted to the array's type.
class PaddingValue {
 public:
  PaddingValue() = default;  ///< the array's fill value
  template <class V>
  requires(std::is_arithmetic_v<V> || (Element<V> && std::is_trivially_copyable_v<V>)) PaddingValue(V value) {
    if constexpr (std::floating_point<V>)
      value_ = static_cast<double>(value);
    else if constexpr (std::signed_integral<V>)
      value_ = std::int64_t{value};
    else if constexpr (std::unsigned_integral<V>)
      value_ = std::uint64_t{value};
    else
      value_ = value;
  }

  /// Whether it stands for the array's fill value, whatever that is.
  bool is_fill_value() const { return !value_.has_value(); }
  /// Requires: it is not the fill value. Throws: SelectionError, if it does not fit in T.
  template <Element T>
  T as() const {
    if (auto const* const same = std::any_cast<T>(&value_)) return *same;
    if (auto const* const number = std::any_cast<double>(&value_)) return converted<T>(*number);
    if (auto const* const number = std::any_cast<std::int64_t>(&value_)) return converted<T>(*number);
    if (auto const* const number = std::any_cast<std::uint64_t>(&value_)) return converted<T>(*number);
    refuse(data_type_of<T>());
  }

 private:
  template <class T, class V>
  static T converted(V number) {
    if constexpr (std::same_as<T, float16>) {
      bool fits = true;
      auto const half = detail::number_as<float16>(number, fits);
      if (!fits) throw SelectionError{"padding: found a value that does not fit in float16"};
      return half;
    } else if constexpr (detail::OtherNumber<V, T>) {
      return detail::element_of<T>(number);
    } else {
      refuse(data_type_of<T>());
    }
  }
  [[noreturn]] TESSERA_DECL static void refuse(DataType const& type);

  std::any value_{};  // a number is a double, std::int64_t or std::uint64_t
};

/// Pads an array by `before[d]` elements ahead of its first element along dimension d, and by `after[d]` after its
/// last. Boxes are then given in the padded array, whose element 0 is the first one of the padding:
///
///     Padding const padding{.before = {32, 32, 32}, .after = {32, 32, 32}, .mode = PaddingMode::reflect};
///     UniformBoxes const crops{padding.padded(array.shape()), {64, 64, 64}};
///
/// Nothing is written or copied: each box is filled where it reaches beyond the array.
struct Padding {
  Extents before{}, after{};  ///< elements, one number for each dimension; empty: none
  PaddingMode mode = PaddingMode::constant;
  PaddingValue value{};  ///< of `constant`; by default the array's fill value

  /// The shape of an array of that shape with its padding. Throws: SelectionError, if the padding has another number of
  /// dimensions, 63 bits cannot count the indices, or `edge` or `reflect` pads a dimension without elements.
  TESSERA_DECL Extents padded(Extents const& shape) const;
};

}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/array/detail/padding.ipp>
#endif
