// the_list_lacks: one error for several codecs that a route's list lacks. The text of a static_assert is fixed, so an
// undefined type names them.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tessera/codec/array_to_array/transpose.hpp>
#include <tessera/codec/array_to_bytes/bytes.hpp>
#include <tessera/codec/bytes_to_bytes/crc32c.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/declared.hpp>

namespace tessera { inline namespace v0 {
namespace no_route {

/// Stands for any other codec.
struct one_of_another_name;

/// Never defined.
template <class... Missing>
struct the_list_lacks;

}  // namespace no_route
namespace detail {

/// For each name of the chain: whether it is not listed; true only where the name is first.
template <class Routes>
inline constexpr auto is_missing = [] {
  std::array<bool, Routes::count> is{};
  for (std::size_t k = 0; k < Routes::count; ++k) {
    auto const before = Routes::name.begin() + k;
    is[k] = Routes::first_of(*before) == Routes::listed && std::find(Routes::name.begin(), before, *before) == before;
  }
  return is;
}();

template <class Routes, std::size_t K>
consteval auto named_if_missing() {
  constexpr auto name = Routes::name[K];
  if constexpr (!is_missing<Routes>[K])
    return std::tuple<>{};
  else if constexpr (name == "transpose")
    return std::tuple<std::type_identity<codec::Transpose>>{};
  else if constexpr (name == "bytes")
    return std::tuple<std::type_identity<codec::Bytes>>{};
  else if constexpr (name == "crc32c")
    return std::tuple<std::type_identity<codec::Crc32c>>{};
  else if constexpr (name == "blosc")
    return std::tuple<std::type_identity<codec::Blosc>>{};
  else if constexpr (name == "gzip")
    return std::tuple<std::type_identity<codec::Gzip>>{};
  else if constexpr (name == "zstd")
    return std::tuple<std::type_identity<codec::Zstd>>{};
  else
    return std::tuple<std::type_identity<no_route::one_of_another_name>>{};
}

template <class... Missing>
void name_all(std::tuple<std::type_identity<Missing>...>) {
  (void)sizeof(no_route::the_list_lacks<Missing...>);
}
// The error is in a function outside constant evaluation, or it would appear twice.
template <std::size_t... K, class Routes>
consteval bool check_are_missing(std::index_sequence<K...>, std::type_identity<Routes>) {
  (void)static_cast<void (*)(decltype(std::tuple_cat(named_if_missing<Routes, K>()...)))>(&name_all);
  return false;
}

}  // namespace detail
}}  // namespace tessera::v0
