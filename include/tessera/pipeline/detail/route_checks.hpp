// Compile errors for a missing route, one for each reason.
#pragma once
#include <algorithm>
#include <concepts>
#include <string_view>
#include <type_traits>
#include <utility>

#include <tessera/codec/concept.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/detail/route_choices.hpp>
#include <tessera/pipeline/detail/route_lacks.hpp>

namespace tessera { inline namespace v0 { namespace detail {

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

}}}  // namespace tessera::v0::detail
