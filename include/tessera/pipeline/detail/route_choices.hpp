// routes: the choices for a route, as numbers, and the pipeline of the best one.
#pragma once
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include <tessera/cast/cast.hpp>
#include <tessera/codec/concept.hpp>
#include <tessera/codec/detail/codec_calls.hpp>
#include <tessera/memory/space.hpp>
#include <tessera/pipeline/any_pipeline.hpp>
#include <tessera/pipeline/detail/cheapest_way.hpp>
#include <tessera/pipeline/detail/composition.hpp>
#include <tessera/pipeline/pipeline.hpp>

namespace tessera { inline namespace v0 { namespace detail {

// For reading, codecs that only decode are enough.
struct ToRead {
  template <class C>
  static constexpr bool serves = is_view<C> || NamesDecode<C>;
};
struct ToWrite {
  template <class C>
  static constexpr bool serves = is_view<C> || (NamesDecode<C> && NamesEncode<C>);
};

// AnyUse and Trust::yes each drop a rule, to find the one that leaves no route.
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

  // The place of the first listed codec with that name; `listed`: none.
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

  // A codec, and the cast before it, if any.
  template <class Use, std::size_t K>
  static auto stages_at() {
    constexpr auto& way = best<Use>;
    if constexpr (K == count) {
      if constexpr (way.crosses[K] != 0)
        return std::type_identity<std::tuple<CastTo<From>>>{};
      else
        return std::type_identity<std::tuple<>>{};
    } else {
      using C = codec_at<way.implementation[K]>;
      if constexpr (way.crosses[K] != 0)
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

}}}  // namespace tessera::v0::detail
