// The data types of Zarr v3 (core specification, "Data types"), at run time and of a C++ type.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <tessera/core/config.hpp>

namespace tessera::inline v0 {

enum class DataKind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating };

/// What an element is. `size` is in bytes.
struct DataType {
  DataKind kind = DataKind::unsigned_integer;
  std::uint8_t size = 1;

  /// The name in `zarr.json`, e.g. "float32".
  std::string name() const {
    auto const bits = std::to_string(size * 8);
    switch (kind) {
      case DataKind::boolean:
        return "bool";
      case DataKind::signed_integer:
        return "int" + bits;
      case DataKind::unsigned_integer:
        return "uint" + bits;
      case DataKind::floating:
        return "float" + bits;
    }
    return "?";
  }
  /// How many bytes are swapped together to change byte order: 1 where byte order means nothing.
  std::size_t component() const { return size; }

  friend bool operator==(DataType, DataType) = default;
};

inline constexpr DataType data_types[] = {
    {DataKind::boolean, 1},          {DataKind::signed_integer, 1},   {DataKind::signed_integer, 2},
    {DataKind::signed_integer, 4},   {DataKind::signed_integer, 8},   {DataKind::unsigned_integer, 1},
    {DataKind::unsigned_integer, 2}, {DataKind::unsigned_integer, 4}, {DataKind::unsigned_integer, 8},
    {DataKind::floating, 4},         {DataKind::floating, 8},
};

inline std::optional<DataType> data_type_named(std::string_view name) {
  for (auto type : data_types)
    if (type.name() == name) return type;
  return std::nullopt;
}

/// C++ types that are elements of a Zarr array.
template <class T>
concept Element = std::same_as<T, std::remove_cv_t<T>> && std::is_arithmetic_v<T> && sizeof(T) <= 8 &&
                  !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t> &&
                  !std::same_as<T, wchar_t>;

template <Element T>
consteval DataType data_type_of() {
  auto const kind = std::same_as<T, bool>         ? DataKind::boolean
                    : std::is_floating_point_v<T> ? DataKind::floating
                    : std::is_signed_v<T>         ? DataKind::signed_integer
                                                  : DataKind::unsigned_integer;
  return {kind, sizeof(T)};
}

}  // namespace tessera::inline v0
