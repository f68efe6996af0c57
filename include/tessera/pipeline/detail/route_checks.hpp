// Compile errors for a missing route, one for each reason.
// Chain: the names of codecs as template arguments.
// the_list_lacks: one error for several codecs that a route's list lacks. The text of a static_assert is fixed, so an
// undefined type names them.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
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
#include <tessera/memory/space.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/detail/route_choices.hpp>

namespace tessera { inline namespace v0 {

template <std::size_t N>
struct CodecName {
  char text[N]{};
  consteval CodecName(char const (&name)[N]) { std::copy_n(name, N, text); }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

/// The codecs of chunks as zarr.json names them, in its order: `Chain<"bytes", "zstd", "crc32c">`.
template <CodecName... texts>
struct Chain {
  static constexpr std::array<std::string_view, sizeof...(texts)> names{texts.view()...};
};

/// Shards whose inner chunks pass such a chain: `Shards<Chain<"bytes", "zstd", "crc32c">>`.
template <class Inner>
struct Shards {};

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

template <class Available>
inline constexpr bool is_list_of_codecs = false;
template <class... Cs>
inline constexpr bool is_list_of_codecs<Codecs<Cs...>> = (Codec<Cs> && ...);

// One missing name has its own message; the compiler names several.
template <class Routes>
consteval bool check_is_listed() {
  constexpr auto missing = std::ranges::find(is_missing<Routes>, true);
  constexpr bool is_there = missing == is_missing<Routes>.end();
  constexpr auto is = is_there ? std::string_view{} : Routes::name[missing - is_missing<Routes>.begin()];
  static_assert(is_there || is != "zstd",
                "tessera: no route: the list lacks zstd: add codec::Zstd of <tessera/with/zstd.hpp>, or for device "
                "memory nvcomp::Zstd of <tessera/with/nvcomp.cuh>");
  static_assert(is_there || is != "gzip",
                "tessera: no route: the list lacks gzip: add codec::Gzip of <tessera/with/deflate.hpp>, or for device "
                "memory nvcomp::Gzip of <tessera/with/nvcomp.cuh>");
  static_assert(is_there || is != "blosc",
                "tessera: no route: the list lacks blosc: add codec::Blosc of <tessera/with/blosc.hpp>");
  static_assert(is_there || is != "crc32c",
                "tessera: no route: the list lacks crc32c: add codec::Crc32c, or for device memory "
                "codec::DeviceCrc32c of <tessera/codec/bytes_to_bytes/crc32c.cuh>");
  static_assert(is_there || is != "bytes", "tessera: no route: the list lacks bytes: add codec::Bytes");
  static_assert(is_there || is != "transpose", "tessera: no route: the list lacks transpose: add codec::Transpose");
  static_assert(
      is_there || is != "sharding_indexed",
      "tessera: no route: for an array with shards name the codecs of the inner chunks: Shards<Chain<\"bytes\", "
      "\"zstd\">>");
  constexpr bool is_known = is == "zstd" || is == "gzip" || is == "blosc" || is == "crc32c" || is == "bytes" ||
                            is == "transpose" || is == "sharding_indexed";
  static_assert(is_there || is_known,
                "tessera: no route: the list lacks a codec of the chain: add one with the 'name' in the chain");
  return is_there;
}
template <class Routes>
consteval bool check_are_listed() {
  if constexpr (std::ranges::count(is_missing<Routes>, true) > 1)
    return check_are_missing(std::make_index_sequence<Routes::count>{}, std::type_identity<Routes>{});
  else
    return check_is_listed<Routes>();
}

template <class Specification>
inline constexpr bool is_chain = requires {
  { Specification::names[0] } -> std::convertible_to<std::string_view>;
};
template <class Specification>
consteval bool check_chain() {
  static_assert(is_chain<Specification>,
                "tessera: the codecs of a route are a Chain of the names in zarr.json, Chain<\"bytes\", \"zstd\">, or "
                "Shards<Chain<...>> of the inner chunks");
  return is_chain<Specification>;
}

template <class Available, class From, class To>
consteval bool check_ends() {
  constexpr bool are_spaces = MemorySpace<From> && MemorySpace<To>;
  static_assert(are_spaces,
                "tessera: a route names the memory space of the elements, then that of the stored bytes: "
                "Route<Codecs<codec::Bytes, codec::Zstd>, space::Device, space::Host, Chain<\"bytes\", \"zstd\">>");
  constexpr bool are_declared = declares_codecs<Available>;
  static_assert(
      !are_spaces || !are_declared || is_list_of_codecs<Available>,
      "tessera: a route is chosen from a Codecs<...>, a list of codecs (types with 'kind' and 'name'); it places the "
      "casts itself");
  return are_spaces && are_declared && is_list_of_codecs<Available>;
}

template <class Routes, class Use>
consteval bool check_legal() {
  constexpr bool is_in_order = Routes::is_in_order();
  static_assert(is_in_order,
                "tessera: no route: the chain is out of order; it is any array-to-array codecs, then one "
                "array-to-bytes codec, then any bytes-to-bytes codecs");
  if constexpr (!is_in_order) {
    return false;
  } else if constexpr (!Routes::template best<Use>.is_there) {
    constexpr bool is_unchecked = Routes::template best<Use, Trust::yes>.is_there;
    static_assert(!is_unchecked,
                  "tessera: no route: the list has a codec for device memory with undefined behaviour on damaged "
                  "bytes, and no codec directly after it in the chain checks them: add the host codec too, "
                  "codec::Zstd, or trust the bytes: nvcomp::Trusted<nvcomp::Zstd>");
    constexpr bool only_decodes = !is_unchecked && Routes::template best<AnyUse>.is_there;
    static_assert(!only_decodes,
                  "tessera: no route to write: for a codec of the chain the list has only implementations that decode: "
                  "add one that also encodes, as codec::Zstd does on the host, or use Route, which reads");
    static_assert(is_unchecked || only_decodes,
                  "tessera: no route: a codec of the list runs in none of these spaces: host, device, the elements' "
                  "space and the stored bytes' space");
    return false;
  } else {
    return true;
  }
}

}  // namespace detail
}}  // namespace tessera::v0
