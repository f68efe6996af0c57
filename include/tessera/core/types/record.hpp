// record: a struct of the program as an element. Its members are the fields of "struct" (zarr-extensions), or of a
// structured NumPy type in Zarr v2.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <tessera/core/data_type.hpp>

namespace tessera { inline namespace v0 {

/// A field name as a template argument.
template <std::size_t N>
struct FieldName {
  char text[N];  ///< with a zero at its end
  consteval FieldName(char const (&name)[N]) { std::copy_n(name, N, text); }
};

namespace detail {

template <class Pointer>
struct MemberOf;
template <class S, class T>
struct MemberOf<T S::*> {
  using type = T;
};

}  // namespace detail

/// A struct member and its name in documents: `member<"id", &Sample::id>`.
template <FieldName Name, auto Pointer>
requires(std::is_member_object_pointer_v<decltype(Pointer)>) struct member {
  using type = typename detail::MemberOf<decltype(Pointer)>::type;
  static std::string name() { return Name.text; }
  // A pointer to a data member is its offset in the struct (Itanium C++ ABI, 2.3).
  /// The offset in the struct, in bytes.
  static std::uint32_t at() { return static_cast<std::uint32_t>(std::bit_cast<std::ptrdiff_t>(Pointer)); }
};

/// The `element_traits` of a struct, defined once for all arrays of it:
///
///   template <>
///   struct tessera::element_traits<Sample>
///       : tessera::record<Sample, tessera::member<"id", &Sample::id>, tessera::member<"value", &Sample::value>> {};
///
/// List the members in memory order. A v3 document has no holes between fields, so the struct of a new array must have
/// none (`#pragma pack(push, 1)`); in Zarr v2 it may have the holes that the document has. A member may be a struct
/// described in this way, or any type that is an element.
template <class S, class... Members>
requires(sizeof...(Members) > 0) struct record {
  static constexpr DataType type = [] {
    DataType result{DataKind::structure, sizeof(S)};
    auto const add = [&](std::size_t one) {
      result.largest = std::max(result.largest, static_cast<std::uint32_t>(one));
    };
    (add(element_traits<typename Members::type>::type.component()), ...);
    return result;
  }();

  /// Includes holes, as raw bytes without a name.
  static std::vector<Field> fields() {
    std::vector<Field> result;
    std::uint32_t end = 0;
    auto const fill_up = [&](std::uint32_t to) {
      if (to > end) result.push_back({"", {DataKind::raw, to - end}, end});
    };
    auto const add = [&]<class M>(M) {
      Field field{M::name(), element_traits<typename M::type>::type, M::at()};
      if constexpr (requires { element_traits<typename M::type>::fields(); })
        field.fields = element_traits<typename M::type>::fields();
      fill_up(field.at);
      end = field.at + field.type.size;
      result.push_back(std::move(field));
    };
    (add(Members{}), ...);
    fill_up(sizeof(S));
    return result;
  }
};

}}  // namespace tessera::v0
