// The data types of Zarr v3 (core specification, "Data types"), at run time and of a C++ type.
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <tessera/core/config.hpp>
#include <tessera/core/number_format.hpp>
#include <tessera/core/time_unit.hpp>

namespace tessera { inline namespace v0 {

enum class DataKind : std::uint8_t {
  boolean,
  signed_integer,
  unsigned_integer,
  floating,
  complex,
  raw,
  datetime,         ///< "numpy.datetime64": moments, counted in 64 bits from 1970 on
  timedelta,        ///< "numpy.timedelta64": how long
  utf32,            ///< "fixed_length_utf32": text, each code point in four bytes, filled up with zeros
  null_terminated,  ///< "null_terminated_bytes": bytes, filled up with zeros
  structure,        ///< "struct": several fields, which ArrayMetadata names
  string,           ///< UTF-8 of any length
  bytes,            ///< any number of any bytes
};

/// What an element is. Members that do not concern a type have the values that they have here.
struct DataType {
  DataKind kind = DataKind::unsigned_integer;
  std::uint32_t size = 1;  ///< bytes; of elements that vary in size, those of the reference that a chunk holds
  NumberFormat format = NumberFormat::usual;  ///< of a number, or of both parts of a complex one
  TimeUnit unit = TimeUnit::generic;          ///< of a time
  std::uint32_t scale = 1;                    ///< of a time: how many units are counted as one
  std::uint32_t largest = 1;                  ///< of a struct: bytes of the largest of its components

  /// The name in `zarr.json`, e.g. "float32"; of types that have a configuration, with it: "numpy.datetime64[10ns]",
  /// "fixed_length_utf32[48]".
  std::string name() const;
  /// The number of bytes that a change of byte order swaps together: 1 where byte order means nothing. Components of a
  /// struct may differ: that of the largest.
  constexpr std::size_t component() const {
    switch (kind) {
      case DataKind::raw:
      case DataKind::null_terminated:
      case DataKind::string:
      case DataKind::bytes:
        return 1;
      case DataKind::complex:
        return size / 2;
      case DataKind::utf32:
        return 4;
      case DataKind::structure:
        return largest;
      default:
        return size;
    }
  }

  /// Whether elements differ in size: strings, and bytes of any length.
  constexpr bool varies() const { return kind == DataKind::string || kind == DataKind::bytes; }

  friend bool operator==(DataType, DataType) = default;
  /// Its name. Of any stream, so that this includes none.
  template <class Stream>
  friend auto operator<<(Stream& to, DataType type) -> decltype(to << std::string{}) {
    return to << type.name();
  }
};

inline std::string DataType::name() const {
  auto const with = [](char const* name, std::string const& what) { return std::string{name} + "[" + what + "]"; };
  auto const bits = std::to_string(std::uint64_t{size} * 8);
  switch (kind) {
    case DataKind::boolean:
      return "bool";
    case DataKind::signed_integer:
    case DataKind::unsigned_integer: {
      std::string const name = kind == DataKind::signed_integer ? "int" : "uint";
      return name + (format == NumberFormat::int2 ? "2" : format == NumberFormat::int4 ? "4" : bits);
    }
    case DataKind::floating:
      return format == NumberFormat::usual ? "float" + bits : std::string{detail::format_name(format)};
    case DataKind::complex:
      if (format != NumberFormat::usual) return "complex_" + std::string{detail::format_name(format)};
      return size == 4 ? "complex_float16" : "complex" + bits;
    case DataKind::raw:
      return "r" + bits;
    case DataKind::datetime:
    case DataKind::timedelta:
      return with(kind == DataKind::datetime ? "numpy.datetime64" : "numpy.timedelta64",
                  (scale == 1 ? "" : std::to_string(scale)) + std::string{detail::unit_name(unit)});
    case DataKind::utf32:
      return with("fixed_length_utf32", std::to_string(size));
    case DataKind::null_terminated:
      return with("null_terminated_bytes", std::to_string(size));
    case DataKind::structure:
      return with("struct", std::to_string(size));
    case DataKind::string:
      return "string";
    case DataKind::bytes:
      return "bytes";
  }
  return "?";
}

/// The data types of the core specification, but for the raw ones, of which there is one for each size.
inline constexpr DataType data_types[] = {
    {DataKind::boolean, 1},          {DataKind::signed_integer, 1},   {DataKind::signed_integer, 2},
    {DataKind::signed_integer, 4},   {DataKind::signed_integer, 8},   {DataKind::unsigned_integer, 1},
    {DataKind::unsigned_integer, 2}, {DataKind::unsigned_integer, 4}, {DataKind::unsigned_integer, 8},
    {DataKind::floating, 2},         {DataKind::floating, 4},         {DataKind::floating, 8},
    {DataKind::complex, 8},          {DataKind::complex, 16},
};

inline constexpr DataType string_type{DataKind::string, 16}, bytes_type{DataKind::bytes, 16};

namespace detail {

/// Whether elements of `number` are the integers that times are counted in.
constexpr bool is_count_of(DataType number, DataType time) {
  return (time.kind == DataKind::datetime || time.kind == DataKind::timedelta) &&
         number == DataType{DataKind::signed_integer, 8};
}

}  // namespace detail

/// The data type of a C++ type: `static constexpr DataType type`. Specialise it for your own type, which must be
/// trivially copyable and have the same bytes, e.g. a half-precision number.
template <class T>
struct element_traits {};

template <class T>
requires(std::is_arithmetic_v<T> && sizeof(T) <= 8 && !std::same_as<T, char8_t> && !std::same_as<T, char16_t> &&
         !std::same_as<T, char32_t> && !std::same_as<T, wchar_t>) struct element_traits<T> {
  static constexpr DataType type{std::same_as<T, bool>         ? DataKind::boolean
                                 : std::is_floating_point_v<T> ? DataKind::floating
                                 : std::is_signed_v<T>         ? DataKind::signed_integer
                                                               : DataKind::unsigned_integer,
                                 sizeof(T)};
};

// std::complex, cuda::std::complex, thrust::complex: none of their headers is needed.
template <class T>
requires(std::is_floating_point_v<typename T::value_type> && sizeof(T) == 2 * sizeof(typename T::value_type) &&
         sizeof(T) <= 16 && requires(T const& z) { z.real(), z.imag(); }) struct element_traits<T> {
  static constexpr DataType type{DataKind::complex, sizeof(T)};
};

template <std::size_t N>
struct element_traits<std::array<std::byte, N>> {
  static constexpr DataType type{DataKind::raw, N};
};

/// The bits of a half-precision number, for programs without a type for it.
struct float16_bits {
  std::uint16_t bits = 0;
  friend bool operator==(float16_bits, float16_bits) = default;
};
template <>
struct element_traits<float16_bits> {
  static constexpr DataType type{DataKind::floating, 2};
};

namespace detail {

template <class T>
concept HasDataType = std::same_as<T, std::remove_cv_t<T>> && requires {
  { element_traits<T>::type } -> std::convertible_to<DataType>;
};
/// Elements that own bytes of any number: array/strings.hpp.
template <class T>
concept VaryingElement = HasDataType<T> && element_traits<T>::type.varies();

}  // namespace detail

/// C++ types that are elements of a Zarr array.
template <class T>
concept Element = detail::VaryingElement<T> ||
                  (detail::HasDataType<T> && std::is_trivially_copyable_v<T> &&
                   element_traits<T>::type.size == sizeof(T));

template <Element T>
consteval DataType data_type_of() {
  return element_traits<T>::type;
}

}}  // namespace tessera::v0
