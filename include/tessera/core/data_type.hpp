// The data types of Zarr v3 (core specification, "Data types"), at run time and of a C++ type.
#pragma once
#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

#include <tessera/core/config.hpp>

namespace tessera { inline namespace v0 {

enum class DataKind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating, complex, raw, string, bytes };

/// What an element is. `size` is in bytes; of a kind that varies, that of an ElementReference.
struct DataType {
  DataKind kind = DataKind::unsigned_integer;
  std::uint32_t size = 1;

  /// The name in `zarr.json`, e.g. "float32".
  std::string name() const {
    auto const bits = std::to_string(std::uint64_t{size} * 8);
    switch (kind) {
      case DataKind::boolean:
        return "bool";
      case DataKind::signed_integer:
        return "int" + bits;
      case DataKind::unsigned_integer:
        return "uint" + bits;
      case DataKind::floating:
        return "float" + bits;
      case DataKind::complex:
        return "complex" + bits;
      case DataKind::raw:
        return "r" + bits;
      case DataKind::string:
        return "string";
      case DataKind::bytes:
        return "bytes";
    }
    return "?";
  }
  /// The number of bytes that a change of byte order swaps together: 1 where byte order means nothing.
  std::size_t component() const {
    if (kind == DataKind::raw || varies()) return 1;
    return kind == DataKind::complex ? size / 2 : size;
  }

  /// Each element has as many bytes as it likes.
  constexpr bool varies() const { return kind == DataKind::string || kind == DataKind::bytes; }

  friend bool operator==(DataType, DataType) = default;
  /// Its name. Of any stream, so that this includes none.
  template <class Stream>
  friend auto operator<<(Stream& to, DataType type) -> decltype(to << std::string{}) {
    return to << type.name();
  }
};

/// All data types of a fixed size but the raw ones, of which there is one for each size.
inline constexpr DataType data_types[] = {
    {DataKind::boolean, 1},          {DataKind::signed_integer, 1},   {DataKind::signed_integer, 2},
    {DataKind::signed_integer, 4},   {DataKind::signed_integer, 8},   {DataKind::unsigned_integer, 1},
    {DataKind::unsigned_integer, 2}, {DataKind::unsigned_integer, 4}, {DataKind::unsigned_integer, 8},
    {DataKind::floating, 2},         {DataKind::floating, 4},         {DataKind::floating, 8},
    {DataKind::complex, 8},          {DataKind::complex, 16},
};

inline constexpr DataType string_type{DataKind::string, 16}, bytes_type{DataKind::bytes, 16};

/// "r24" is three bytes without a meaning to tessera. At most a MiB.
inline std::optional<DataType> raw_type_named(std::string_view name) {
  std::uint32_t bits = 0;
  if (name.size() < 2 || name[0] != 'r' || name[1] == '0') return std::nullopt;
  auto const [stop, error] = std::from_chars(name.data() + 1, name.data() + name.size(), bits);
  if (error != std::errc{} || stop != name.data() + name.size() || bits % 8 != 0 || bits > 8u << 20)
    return std::nullopt;
  return DataType{DataKind::raw, bits / 8};
}

inline std::optional<DataType> data_type_named(std::string_view name) {
  for (auto type : data_types)
    if (type.name() == name) return type;
  // Registered names of the same types.
  if (name == "complex_float32") return DataType{DataKind::complex, 8};
  if (name == "complex_float64") return DataType{DataKind::complex, 16};
  if (name == "string") return string_type;
  // zarr-python writes the second, and older drafts have the third.
  if (name == "bytes" || name == "variable_length_bytes" || name == "binary") return bytes_type;
  return raw_type_named(name);
}

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
                  (detail::HasDataType<T> && std::is_trivially_copyable_v<T> && element_traits<T>::type.size == sizeof(T));

template <Element T>
consteval DataType data_type_of() {
  return element_traits<T>::type;
}

}}  // namespace tessera::v0
