// The data types of Zarr v3 (core specification, "Data types"): at run time, for a C++ type, and for a name in a
// document; the units of NumPy's times (zarr-extensions, "numpy.datetime64"); and the fields of a struct, contiguous or
// with holes between them (zarr-extensions, "struct").
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <tessera/core/config.hpp>
#include <tessera/core/detail/bounds.hpp>
#include <tessera/core/detail/number_format.hpp>

namespace tessera { inline namespace v0 {

/// What a datetime64 or timedelta64 counts.
enum class TimeUnit : std::uint8_t {
  generic,  ///< no unit: a bare count
  /// A count of these; years and months are those of the calendar.
  year,
  month,
  week,
  day,
  hour,
  minute,
  second,
  millisecond,
  microsecond,
  nanosecond,
  picosecond,
  femtosecond,
  attosecond,
};

namespace detail {

inline constexpr std::string_view time_unit_names[] = {"generic", "Y",  "M",  "W",  "D",  "h",  "m",
                                                       "s",       "ms", "us", "ns", "ps", "fs", "as"};

constexpr std::string_view unit_name(TimeUnit unit) { return time_unit_names[static_cast<std::size_t>(unit)]; }

constexpr std::optional<TimeUnit> time_unit_named(std::string_view name) {
  if (name == "\u03bcs") return TimeUnit::microsecond;
  for (std::size_t i = 0; i < std::size(time_unit_names); ++i)
    if (time_unit_names[i] == name) return static_cast<TimeUnit>(i);
  return std::nullopt;
}

}  // namespace detail

/// What an element is; a DataType adds its size and format.
enum class DataKind : std::uint8_t {
  boolean,  ///< a byte of 0 or 1
  /// Integers and floating-point numbers of `DataType::size` bytes, and pairs of the latter.
  signed_integer,
  unsigned_integer,
  floating,
  complex,
  raw,              ///< bits without a meaning: "r16"
  datetime,         ///< "numpy.datetime64": moments, counted in 64 bits from 1970
  timedelta,        ///< "numpy.timedelta64": durations
  utf32,            ///< "fixed_length_utf32": text, four bytes for each code point, padded with zeros
  null_terminated,  ///< "null_terminated_bytes": bytes, padded with zeros
  structure,        ///< "struct": several fields, listed in ArrayMetadata
  string,           ///< UTF-8 of any length
  bytes,            ///< any bytes, of any length
};

/// The type of an element. Members that do not apply to a type keep their defaults.
struct DataType {
  DataKind kind = DataKind::unsigned_integer;  ///< what an element is
  std::uint32_t size = 1;  ///< bytes; for variable-size elements, the size of the reference in a decoded chunk
  NumberFormat format = NumberFormat::usual;  ///< of a number, or of both parts of a complex number
  TimeUnit unit = TimeUnit::generic;          ///< of a time
  std::uint32_t scale = 1;                    ///< of a time: units per count
  std::uint32_t largest = 1;                  ///< of a struct: bytes of its largest component

  /// The name in `zarr.json`, e.g. "float32". The name of a type with a configuration includes it:
  /// "numpy.datetime64[10ns]", "fixed_length_utf32[48]".
  std::string name() const;
  /// Bytes that a change of byte order swaps together: 1 if byte order has no meaning; for a struct, those of its
  /// largest component.
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

  /// Whether elements differ in size: strings and bytes.
  constexpr bool varies() const { return kind == DataKind::string || kind == DataKind::bytes; }

  friend bool operator==(DataType, DataType) = default;
  /// Writes the name. A template, so that this header includes no stream.
  template <class Stream>
  friend auto operator<<(Stream& to, DataType type) -> decltype(to << std::string{}) {
    return to << type.name();
  }
};

/// The data types of the core specification, except the raw types, which exist for every size.
inline constexpr DataType data_types[] = {
    {DataKind::boolean, 1},          {DataKind::signed_integer, 1},   {DataKind::signed_integer, 2},
    {DataKind::signed_integer, 4},   {DataKind::signed_integer, 8},   {DataKind::unsigned_integer, 1},
    {DataKind::unsigned_integer, 2}, {DataKind::unsigned_integer, 4}, {DataKind::unsigned_integer, 8},
    {DataKind::floating, 2},         {DataKind::floating, 4},         {DataKind::floating, 8},
    {DataKind::complex, 8},          {DataKind::complex, 16},
};

/// The data types of strings and of bytes, both of any length.
inline constexpr DataType string_type{DataKind::string, 16}, bytes_type{DataKind::bytes, 16};

namespace detail {

/// Whether `number` is the integer type in which `time` is counted.
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

// std::complex, cuda::std::complex, thrust::complex: matched by their members, so that no header is needed.
template <class T>
requires(std::is_floating_point_v<typename T::value_type> && sizeof(T) == 2 * sizeof(typename T::value_type) &&
         sizeof(T) <= 16 && requires(T const& z) { z.real(), z.imag(); }) struct element_traits<T> {
  static constexpr DataType type{DataKind::complex, sizeof(T)};
};

template <std::size_t N>
struct element_traits<std::array<std::byte, N>> {
  static constexpr DataType type{DataKind::raw, N};
};

/// The bits of a half-precision number, without arithmetic.
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
/// Elements that own any number of bytes: array/strings.hpp.
template <class T>
concept VaryingElement = HasDataType<T> && element_traits<T>::type.varies();

}  // namespace detail

/// C++ types that can be elements of a Zarr array.
template <class T>
concept Element = detail::VaryingElement<T> ||
                  (detail::HasDataType<T> && std::is_trivially_copyable_v<T> &&
                   element_traits<T>::type.size == sizeof(T));

/// The data type of T.
template <Element T>
consteval DataType data_type_of() {
  return element_traits<T>::type;
}

namespace detail {

// Names outside the core specification: "bfloat16", "complex_float8_e5m2", "complex_float16", "int4".
TESSERA_DECL std::optional<DataType> small_number_named(std::string_view name);

}  // namespace detail

/// The raw type of a name such as "r24": three bytes that tessera does not interpret. At most 1 MiB.
TESSERA_DECL std::optional<DataType> raw_type_named(std::string_view name);

/// The data type with this name in `zarr.json`, if the type needs no configuration.
TESSERA_DECL std::optional<DataType> data_type_named(std::string_view name);

/// One field of a struct, or a hole between fields.
struct Field {
  std::string name;  ///< empty: a hole of raw bytes
  DataType type;     ///< of the field's elements
  std::uint32_t at = 0;         ///< offset in bytes from the start of the enclosing struct
  std::vector<Field> fields{};  ///< if it is a struct

  friend bool operator==(Field const&, Field const&) = default;
};

namespace detail {
TESSERA_DECL std::size_t count_fields(std::span<Field const> fields);

}  // namespace detail

/// Adjacent components of an element that a change of byte order swaps in the same way.
struct ComponentRun {
  std::uint32_t at = 0, size = 0;  ///< bytes: from the start of the element, and of the run
  std::uint32_t swapped = 1;  ///< bytes swapped together; 1: none

  friend bool operator==(ComponentRun const&, ComponentRun const&) = default;
};

namespace detail {

/// The components of a struct with these fields, in as few runs as possible.
TESSERA_DECL std::vector<ComponentRun> components_of(std::span<Field const> fields);

/// Converts an element with these components to the other byte order.
TESSERA_DECL void swap_components(std::span<std::byte> element, std::span<ComponentRun const> runs);

/// The struct of these fields, which must follow each other without gaps.
TESSERA_DECL DataType structure_of(std::span<Field const> fields);

}  // namespace detail
}}  // namespace tessera::v0

#if !defined(TESSERA_SEPARATE)
#include <tessera/core/detail/data_type.ipp>
#endif
