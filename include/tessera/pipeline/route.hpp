// A pipeline that the compiler chooses: which implementation of each codec, and where chunks cross.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tessera/codec/concept.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/bus_traffic.hpp>
#include <tessera/pipeline/cheapest_way.hpp>
#include <tessera/pipeline/flow.hpp>
#include <tessera/pipeline/pipeline.hpp>
#include <tessera/pipeline/sharding.hpp>

namespace tessera { inline namespace v0 {

/// The name of a codec, for the compiler.
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

/// Shards, whose inner chunks pass such a chain: `Shards<Chain<"bytes", "zstd", "crc32c">>`.
template <class Inner>
struct Shards {};

namespace detail {

/// What stands for a route where the compiler gave a message, so that no second one follows. It crosses as often as the
/// program says.
template <class From, class To>
struct NoRoute {
  using array_space = To;
  using bytes_space = From;
  static constexpr bool refused = true;
  static constexpr struct {
    constexpr bool operator==(int) const { return true; }
    constexpr bool operator<(int) const { return true; }
    constexpr bool operator<=(int) const { return true; }
  } crossings{};
};

// Who uses a route: codecs that only decode will do to read.
struct ToRead {
  template <class C>
  static constexpr bool serves = is_view<C> || NamesDecode<C>;
};
struct ToWrite {
  template <class C>
  static constexpr bool serves = is_view<C> || (NamesDecode<C> && NamesEncode<C>);
};

// Rules that are left out to find out which of them there is no route for.
struct AnyUse {
  template <class C>
  static constexpr bool serves = true;
};
enum class Trust { no, yes };

// Each space once.
template <class Seen, class... More>
struct spaces_of {
  using type = Seen;
};
template <class... Seen, class S, class... More>
struct spaces_of<std::tuple<Seen...>, S, More...>
    : spaces_of<std::conditional_t<(std::same_as<Seen, S> || ...), std::tuple<Seen...>, std::tuple<Seen..., S>>,
                More...> {};

template <class S, class... Ss>
consteval std::size_t place_of_space(std::type_identity<std::tuple<Ss...>>) {
  std::size_t place = 0;
  (void)((std::same_as<S, Ss> || (++place, false)) || ...);
  return place;
}

template <class Available, class From, class To, class Names, class Cost>
struct routes;

template <class... Cs, class From, class To, class Names, class Cost>
struct routes<Codecs<Cs...>, From, To, Names, Cost> {
  using Listed = std::tuple<Cs...>;
  using Spaces = typename spaces_of<std::tuple<>, To, From, space::Host, space::Device>::type;
  static constexpr auto name = Names::names;
  static constexpr std::size_t count = name.size(), listed = sizeof...(Cs), spaces = std::tuple_size_v<Spaces>;
  template <std::size_t S>
  using space_at = std::tuple_element_t<S, Spaces>;
  template <std::size_t I>
  using codec_at = std::tuple_element_t<I, Listed>;

  // Of the first in the list with that name; `listed`: there is none.
  static constexpr std::size_t first_of(std::string_view wanted) {
    std::size_t place = 0;
    (void)((std::string_view{Cs::name} == wanted || (++place, false)) || ...);
    return place;
  }

  static constexpr bool is_in_order() {
    bool is_array = true, is_right = true;
    constexpr std::array<bool, listed> reads{Cs::kind::reads_array...}, writes{Cs::kind::writes_array...};
    for (auto const one : name) {
      is_right = is_right && reads[first_of(one)] == is_array;
      is_array = writes[first_of(one)];
    }
    return is_right && !is_array;
  }

  // The bytes of a chunk before each codec, and behind the last.
  static constexpr auto sizes() {
    std::array<std::uint64_t, count + 1> size{1 << 20};
    for (std::size_t k = 0; k < count; ++k)
      (void)((name[k] == Cs::name && (size[k + 1] = Cost::template encoded<Cs>(size[k]), true)) || ...);
    return size;
  }

  template <class Use, Trust trust>
  static constexpr auto choices() {
    Choices<count, listed, spaces> all{};
    constexpr auto size = sizes();
    auto const in_space = [&]<std::size_t I, std::size_t S>(std::integral_constant<std::size_t, I>,
                                                            std::integral_constant<std::size_t, S>) {
      using C = codec_at<I>;
      constexpr bool runs = codec_runs_in<C, space_at<S>> && Use::template serves<C>;
      for (std::size_t k = 0; k < count; ++k)
        if (!runs || name[k] != C::name)
          all.running[k][I][S] = all.impossible;
        else if (!is_view<C>)
          all.running[k][I][S] = Cost::template running<C, space_at<S>>(size[k]);
    };
    auto const in_each = [&]<std::size_t I, std::size_t... S>(std::integral_constant<std::size_t, I> i,
                                                              std::index_sequence<S...>) {
      all.needs_checked_bytes[I] = trust == Trust::no && needs_checked_bytes<codec_at<I>>;
      all.checks_bytes[I] = checks_bytes<codec_at<I>>;
      (in_space(i, std::integral_constant<std::size_t, S>{}), ...);
    };
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (in_each(std::integral_constant<std::size_t, I>{}, std::make_index_sequence<spaces>{}), ...);
    }
    (std::make_index_sequence<listed>{});
    [&]<std::size_t... Pair>(std::index_sequence<Pair...>) {
      for (std::size_t k = 0; k <= count; ++k)
        ((all.crossing[k][Pair / spaces][Pair % spaces] =
              Cost::template crossing<space_at<Pair % spaces>, space_at<Pair / spaces>>(size[k])),
         ...);
    }
    (std::make_index_sequence<spaces * spaces>{});
    return all;
  }

  template <class Use, Trust trust = Trust::no>
  static constexpr auto best = cheapest_way(choices<Use, trust>(), place_of_space<To>(std::type_identity<Spaces>{}),
                                            place_of_space<From>(std::type_identity<Spaces>{}));

  // A codec with the cast before it, if there is one.
  template <class Use, std::size_t K>
  static auto stages_at() {
    constexpr auto& way = best<Use>;
    if constexpr (K == count) {
      if constexpr (way.crosses[K])
        return std::type_identity<std::tuple<CastTo<From>>>{};
      else
        return std::type_identity<std::tuple<>>{};
    } else {
      using C = codec_at<way.implementation[K]>;
      if constexpr (way.crosses[K])
        return std::type_identity<std::tuple<CastTo<space_at<way.space[K]>>, C>>{};
      else
        return std::type_identity<std::tuple<C>>{};
    }
  }
  template <class... Stages>
  static auto pipeline_of(std::tuple<Stages...> const&) -> Pipeline<To, Stages...>;
  template <class Use, std::size_t... K>
  static auto stages(std::index_sequence<K...>)
      -> decltype(std::tuple_cat(std::declval<typename decltype(stages_at<Use, K>())::type>()...));
  template <class Use>
  using pipeline = decltype(pipeline_of(stages<Use>(std::make_index_sequence<count + 1>{})));
};

template <class Available>
inline constexpr bool is_list_of_codecs = false;
template <class... Cs>
inline constexpr bool is_list_of_codecs<Codecs<Cs...>> = (Codec<Cs> && ...);
template <class Available>
inline constexpr bool is_list_of_declared = true;
template <class... Cs>
inline constexpr bool is_list_of_declared<Codecs<Cs...>> = (check_declared<Cs>() && ...);

// The first name that is missing has the message; where it is none of tessera's, the compiler shows it.
template <class Routes>
consteval bool check_are_listed() {
  constexpr auto missing =
      std::ranges::find_if(Routes::name, [](auto one) { return Routes::first_of(one) == Routes::listed; });
  constexpr bool is_there = missing == Routes::name.end();
  constexpr auto is = is_there ? std::string_view{} : *missing;
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
      "tessera: no route: of an array with shards give the codecs of the inner chunks: Shards<Chain<\"bytes\", "
      "\"zstd\">>");
  constexpr bool is_known = is == "zstd" || is == "gzip" || is == "blosc" || is == "crc32c" || is == "bytes" ||
                            is == "transpose" || is == "sharding_indexed";
  static_assert(
      is_there || is_known,
      "tessera: no route: the list lacks a codec of the chain: add one whose 'name' is the one that the chain "
      "has");
  return is_there;
}

template <class Specification>
inline constexpr bool is_chain = requires {
  { Specification::names[0] } -> std::convertible_to<std::string_view>;
};
template <class Specification>
consteval bool check_chain() {
  static_assert(
      is_chain<Specification>,
      "tessera: what codecs a route passes is a Chain of the names in zarr.json, Chain<\"bytes\", \"zstd\">, or "
      "Shards<Chain<...>>, of inner chunks");
  return is_chain<Specification>;
}

template <class Available, class From, class To>
consteval bool check_ends() {
  constexpr bool are_spaces = MemorySpace<From> && MemorySpace<To>;
  static_assert(are_spaces,
                "tessera: a route leads from the memory space of the stored bytes to that of the elements: "
                "Route<Codecs<codec::Bytes, codec::Zstd>, space::Host, space::Device, Chain<\"bytes\", \"zstd\">>");
  constexpr bool are_declared = is_list_of_declared<Available>;
  static_assert(
      !are_spaces || !are_declared || is_list_of_codecs<Available>,
      "tessera: what a route may use is a Codecs<...>, a list of codecs (types with 'kind' and 'name'); it finds the "
      "places of the casts itself");
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
                  "tessera: no route: the list has a codec for device memory whose behaviour is undefined where its "
                  "bytes are damaged, and nothing right behind it in the chain checks them: add the host's too, "
                  "codec::Zstd, or take the bytes on trust: nvcomp::Trusted<nvcomp::Zstd>");
    constexpr bool only_decodes = !is_unchecked && Routes::template best<AnyUse>.is_there;
    static_assert(!only_decodes,
                  "tessera: no route to write: of a codec of the chain the list has only implementations that decode: "
                  "add one that encodes too, as codec::Zstd does on the host, or give Route, which reads");
    static_assert(is_unchecked || only_decodes,
                  "tessera: no route: a codec of the list runs in none of these spaces: the host's, the device's, that "
                  "of the elements and that of the stored bytes");
    return false;
  } else {
    return true;
  }
}

template <class Available, class From, class To, class Specification, class Cost, class Use>
struct route {
  static consteval auto find() {
    using None = std::type_identity<NoRoute<From, To>>;
    using Routes = routes<Available, From, To, Specification, Cost>;
    if constexpr (!check_ends<Available, From, To>())
      return None{};
    else if constexpr (!check_chain<Specification>())
      return None{};
    else if constexpr (!check_are_listed<Routes>())
      return None{};
    else if constexpr (!check_legal<Routes, Use>())
      return None{};
    else
      return std::type_identity<typename Routes::template pipeline<Use>>{};
  }
  using type = typename decltype(find())::type;
};
template <class Available, class From, class To, class Inner, class Cost, class Use>
struct route<Available, From, To, Shards<Inner>, Cost, Use> {
  using inner = typename route<Available, From, To, Inner, Cost, Use>::type;
  template <class P>
  struct around {
    using type = Pipeline<To, codec::Sharding<P>>;
  };
  using type = typename std::conditional_t<std::same_as<inner, NoRoute<From, To>>, std::type_identity<inner>,
                                           around<inner>>::type;
};

}  // namespace detail

/// The pipeline that brings chunks from stored bytes in the space `From` to elements in the space `To` at the least
/// cost, by codecs of the list `Available`, of which several may have a name. An ordinary Pipeline, which could be
/// written out: `Route<Codecs<codec::Bytes, codec::Zstd>, space::Host, space::Device, Chain<"bytes", "zstd">>` is
/// `Pipeline<space::Device, codec::Bytes, CastTo<space::Host>, codec::Zstd>`.
///
/// Of ways that cost the same it is the one that crosses least often; then the one whose codecs come first in the list,
/// the codec nearest to the stored bytes before the others; then the one that crosses nearest to the stored bytes. A
/// codec whose behaviour damaged bytes make undefined is taken only where one right behind it checks them. This is for
/// reading: codecs may be such as only decode.
template <class Available, class From, class To, class Specification, class Cost = BusTraffic>
using Route = typename detail::route<Available, From, To, Specification, Cost, detail::ToRead>::type;

/// The same, to write too: of codecs that decode and encode.
template <class Available, class From, class To, class Specification, class Cost = BusTraffic>
using WritableRoute = typename detail::route<Available, From, To, Specification, Cost, detail::ToWrite>::type;

}}  // namespace tessera::v0
